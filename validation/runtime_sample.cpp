#include "validation/runtime_sample.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/scenario/reader.h"
#include "validation/statistics.h"
#include "validation/trace_validation.h"

namespace tradewind::validation {
namespace {

/// The metric that no constant of a runtime's kernels moves.
constexpr std::string_view kWithoutRates = "peak_memory_bytes";

}  // namespace

void RuntimeSample::add(const TracePoint& point) {
  const std::string scenario = scenario::to_json(point.scenario).dump();
  const auto [same, is_new] = place_by_scenario_.emplace(scenario, points_.size());
  if (is_new) points_.push_back(point);
  for (const Measurement& one : point.measured) {
    if (one.metric != kWithoutRates) figures_.push_back({same->second, &one});
  }
}

std::vector<std::optional<double>> RuntimeSample::ratios(const scenario::Runtime& runtime) const {
  std::vector<TracePoint> changed = points_;
  const auto shared = std::make_shared<const scenario::Runtime>(runtime);
  for (TracePoint& point : changed) point.scenario.runtime = shared;
  const std::vector<workload::Result> results = simulate(changed);
  std::vector<std::optional<double>> ratios;
  for (const Figure& figure : figures_) {
    const auto answer = answer_of(results[figure.point], figure.measurement->metric);
    ratios.push_back(answer ? std::optional(*answer / figure.measurement->value) : std::nullopt);
  }
  return ratios;
}

std::vector<double> RuntimeSample::weights() const {
  constexpr double kSureOfItself = 0.05;
  std::vector<double> weights;
  for (const Figure& figure : figures_) {
    const double spread = std::max(kSureOfItself, figure.measurement->uncertainty);
    weights.push_back(kSureOfItself / spread * (kSureOfItself / spread));
  }
  return weights;
}

TraceAccuracy RuntimeSample::accuracy(const scenario::Runtime& runtime) const {
  if (empty()) return {};
  std::vector<double> errors;
  for (const auto& ratio : ratios(runtime)) {
    errors.push_back(ratio ? std::abs(*ratio - 1) : 1);
  }
  return {errors.size(), mean(errors), median(errors), quantile(errors, 0.9)};
}

}  // namespace tradewind::validation
