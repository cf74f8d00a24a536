#include "validation/trace_validation.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/scenario/reader.h"
#include "sim/study/parallel.h"
#include "sim/workload/run.h"

namespace tradewind::validation {
namespace {

/// The scenario whatever software it runs on.
std::string configuration_of(const scenario::Scenario& scenario) {
  nlohmann::ordered_json json = scenario::to_json(scenario);
  for (const char* other : {"name", "runtime"}) json.erase(other);
  return json.dump();
}

}  // namespace

std::optional<double> answer_of(const workload::Result& result, const std::string& metric) {
  if (!result.feasible) return std::nullopt;
  for (const workload::MetricField& field : workload::metric_fields()) {
    if (field.name == metric) return result.metrics.*field.member;
  }
  return std::nullopt;
}

double tolerance_of(const Measurement& measurement) {
  return std::max(measurement.uncertainty, measurement.tolerance.value_or(kDefaultTolerance));
}

std::vector<workload::Result> simulate(std::span<const TracePoint> points, int jobs) {
  std::vector<workload::Result> results(points.size());
  tbb::task_arena arena(jobs > 0 ? jobs : tbb::task_arena::automatic);
  study::parallel_for(arena, points.size(),
                      [&](std::size_t i) { results[i] = workload::run(points[i].scenario); });
  return results;
}

std::vector<PointError> trace_errors(std::span<const TracePoint> points,
                                     std::span<const workload::Result> results) {
  std::vector<PointError> errors;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string configuration = configuration_of(points[i].scenario);
    for (const Measurement& measurement : points[i].measured) {
      PointError error =
          point_error(points[i].id, points[i].group, points[i].split, measurement.metric,
                      measurement.value, answer_of(results[i], measurement.metric));
      error.configuration = configuration;
      error.feasible = results[i].feasible;
      error.tolerance = tolerance_of(measurement);
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

}  // namespace tradewind::validation
