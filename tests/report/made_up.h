#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "sim/study/sweep.h"
#include "tests/scenario_builder.h"

/// Made-up points of a sweep over plan.tp, plan.pp and workload.batch: plausible in shape, with
/// every number known in closed form.
namespace tradewind::testing {

/// A result in which every member differs from its default.
inline workload::Result made_up_result(double scale) {
  workload::Result result;
  double next = scale;
  for (const workload::MetricField& field : workload::metric_fields()) {
    result.metrics.*field.member = next +=
        1.0 / 3;  // no short decimal: must round-trip all the same
  }
  result.memory = scenario::MemoryReport{
      {{1e9 / 3, 2e9 * scale, 3e8, 4e9, 85e9}, {2e9 / 3, 2e9, 3e8, 4e9, 85e9}}, 1, 12'345, 64};
  result.breakdown = {{"decode", "gate_up_gemm", 100, 50.0 / 3, 0.5, kernels::Bound::memory},
                      {"decode", "all_reduce", 80, 10.0 / 3, 0.1, kernels::Bound::latency},
                      {"all", "pipeline_wait", 1, 20.0 / 3, 0.2, kernels::Bound::latency},
                      {"all", "launch", 1, 20.0 / 3, 0.2, kernels::Bound::host}};
  result.communication = {{"all_reduce", 20.0 / 3, 10.0 / 3}, {"p2p", 1.0 / 3, 0}};
  result.notes = {"overlap: a \"made up\" note"};
  result.provenance_ms = {1.0 / 7, 0, 20, 1e-9, 3};
  result.events = 123'456'789'012;
  return result;
}

inline study::Point made_up_point(int tp, int pp, int batch) {
  study::Point point;
  point.axis_values = {std::to_string(tp), std::to_string(pp), std::to_string(batch)};
  point.scenario = scenario_with({{"plan.tp", tp}, {"plan.pp", pp}, {"workload.batch", batch}});
  point.result = made_up_result(batch);
  workload::Metrics& metrics = point.result.metrics;
  metrics.tpot_ms = 20.0 / tp + 0.3 * tp + 0.02 * batch;
  metrics.ttft_ms = (30.0 + 4.0 * batch) / std::sqrt(tp);
  metrics.output_tokens_per_s_per_user = 1e3 / *metrics.tpot_ms;
  metrics.output_tokens_per_s_per_device = 1e3 * batch / (*metrics.tpot_ms * tp);
  return point;
}

inline study::SweepResults made_up_sweep() {
  study::SweepResults results;
  results.name = "made up";
  results.axes = {"plan.tp", "plan.pp", "workload.batch"};
  for (const int tp : {1, 2, 4, 8}) {
    for (const int pp : {1, 2}) {
      for (const int batch : {1, 8, 64, 256}) {
        results.points.push_back(made_up_point(tp, pp, batch));
        if (batch / tp < 128) continue;
        results.points.back().result = {};
        results.points.back().result.feasible = false;
        results.points.back().result.reason = "needs 99.0 GB, \"more\" than\nthere is";
      }
    }
  }
  return results;
}

}  // namespace tradewind::testing
