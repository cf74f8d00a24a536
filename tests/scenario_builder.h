#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/scenario/reader.h"

/// Scenarios for tests, from the project's own data folders.
namespace tradewind::testing {

inline scenario::Catalogue& catalogue() {
  static scenario::Catalogue shared(TRADEWIND_SOURCE_DIR);
  return shared;
}

/// A small static batch of Llama-3.1-8B on one MI325X node under `ideal`, with these changes.
inline scenario::Scenario scenario_with(
    const std::vector<std::pair<std::string, nlohmann::json>>& changes) {
  nlohmann::json document = {
      {"model", "llama-3.1-8b"},
      {"cluster", "mi325x-8"},
      {"precision", "bf16"},
      {"runtime", "ideal"},
      {"workload",
       {{"kind", "static_batch"}, {"batch", 4}, {"input_tokens", 64}, {"output_tokens", 4}}}};
  for (const auto& [path, value] : changes) scenario::set_path(document, path, value, "test");
  return scenario::read_scenario(json::Node(document, "test", ""), catalogue());
}

}  // namespace tradewind::testing
