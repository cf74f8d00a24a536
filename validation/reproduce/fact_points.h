#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/scenario/catalogue.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"
#include "validation/reproduce/facts.h"

namespace tradewind::validation {

/// The rules that a fact's scenarios are simulated under, whatever they say themselves: the runtime
/// replaces theirs, or its base where theirs is an object. Memory is always reported and never
/// enforced: a paper may plot what does not fit.
struct Variant {
  std::string runtime;
  bool resident = false;  ///< every sequence in flight holds its KV cache
};

struct FactPoint {
  scenario::Scenario scenario;
  workload::Result result;
};

/// The scenarios that facts ask about, each once however many facts share it.
using FactPoints = std::map<std::string, FactPoint>;

/// Reads the scenarios of `fact` under `variant` into `points`. Throws InputError naming the fact.
void add_points(FactPoints& points, const Fact& fact, const Variant& variant,
                scenario::Catalogue& catalogue);

/// Runs every point on `jobs` threads; 0 = all cores.
void simulate(FactPoints& points, int jobs);

/// What a fact comes to.
struct Answer {
  std::optional<double> value;
  bool fits = true;  ///< every scenario it stands on fits in memory
};

/// REQUIRES: the fact's points were added under this variant and simulated.
Answer answer(const Fact& fact, const Variant& variant, const FactPoints& points);

}  // namespace tradewind::validation
