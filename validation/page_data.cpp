#include "validation/page_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <variant>

#include "sim/core/overload.h"
#include "sim/report/labels.h"
#include "sim/scenario/step_bounds.h"

namespace tradewind::validation {
namespace {

using nlohmann::ordered_json;

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

/// Tokens of a sequence at its end; expected ones where they differ.
int context_of(const scenario::Scenario& scenario) {
  return std::visit(
      Overload{[](const scenario::StaticBatch& batch) {
                 return batch.input_tokens + batch.output_tokens;
               },
               [](const scenario::Block& block) { return block.sequence_length; },
               [](const scenario::Training& training) { return training.sequence_length; },
               [](const scenario::Serving& serving) {
                 return static_cast<int>(std::lround(mean_tokens(serving.requests).total()));
               }},
      scenario.workload);
}

/// Sorted names, and the place of each.
std::vector<std::string> names_of(const Validation& validation, std::string PointError::*member) {
  std::set<std::string> names;
  for (const PointError& error : validation.errors) {
    if (error.tolerance) names.insert(error.*member);
  }
  return {names.begin(), names.end()};
}

std::ptrdiff_t place_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) - names.begin();
}

}  // namespace

std::string validation_page_data(const Validation& validation) {
  std::map<std::string, const scenario::Scenario*> scenarios;
  for (const TracePoint& point : validation.points) scenarios[point.id] = &point.scenario;
  const std::vector<std::string> metrics = names_of(validation, &PointError::metric);
  const std::vector<std::string> groups = names_of(validation, &PointError::group);
  ordered_json json = {
      {"metrics", metrics}, {"groups", groups}, {"figures", ordered_json::array()}};
  for (const PointError& error : validation.errors) {
    const auto scenario = scenarios.find(error.id);
    if (!error.tolerance || scenario == scenarios.end()) continue;
    const scenario::Scenario& one = *scenario->second;
    json["figures"].push_back({{"id", error.id},
                               {"group", place_in(groups, error.group)},
                               {"metric", place_in(metrics, error.metric)},
                               {"split", error.split},
                               {"measured", error.measured},
                               {"simulated", or_null(error.simulated)},
                               {"error", error.relative_error},
                               {"feasible", error.feasible},
                               {"plan", report::plan_label(one.plan)},
                               {"batch", or_null(report::batch_of(one))},
                               {"context", context_of(one)},
                               {"tp", one.plan.tp},
                               {"pp", one.plan.pp}});
  }
  // "</script>" or "<!--" inside a name must not end the element that the data stands in.
  std::string safe;
  for (const char c : json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {
    c == '<' ? safe += "\\u003c" : safe += c;
  }
  return safe + "\n";
}

}  // namespace tradewind::validation
