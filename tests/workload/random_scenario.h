#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "sim/scenario/scenario.h"

/// Random questions for property tests: what the tests say holds for any of them.
namespace tradewind::testing {

/// A scenario over models, clusters, runtimes, precisions, plans, overlap strategies, batches and
/// lengths, whose plan divides its model and its cluster. Models are cut to a few layers, and
/// memory is reported, not enforced. A generator in the same state gives the same scenario.
nlohmann::json random_scenario(std::mt19937_64& random);

/// The document with another value at that dotted path.
nlohmann::json with(nlohmann::json document, const std::string& path, nlohmann::json value);

/// Reads it with the project's own data.
scenario::Scenario read(const nlohmann::json& document);

/// No reason against laying out the plan, memory apart.
bool can_be_laid_out(const nlohmann::json& document);

template <class Value>
const Value& pick(std::mt19937_64& random, const std::vector<Value>& values) {
  return values[random() % values.size()];
}

/// Between `low` and `high`, evenly over the orders of magnitude.
double between(std::mt19937_64& random, double low, double high);

}  // namespace tradewind::testing
