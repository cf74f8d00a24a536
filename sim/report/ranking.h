#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/study/sweep.h"

namespace tradewind::report {

/// What a plan can be best for.
enum class Goal {
  latency,     ///< lowest TPOT (without decode: TTFT, else makespan)
  throughput,  ///< most tokens/s/device
  /// Largest product of tokens/s/device and tokens/s/user: on the Pareto front, where giving up
  /// one percent of either buys less than one percent of the other.
  between,
};

/// What `Goal::latency` compares in these points.
struct LatencyMetric {
  std::string_view label;  ///< "TPOT", "TTFT" or "makespan"
  std::optional<double> workload::Metrics::*member;
};
LatencyMetric latency_metric(const std::vector<study::Point>& points);

/// Output tokens a second and device; of training, which has no output, all of its tokens.
std::optional<double> tokens_per_s_per_device(const workload::Metrics& metrics);

/// Indices of the feasible points that have what the goal compares, best first; ties by TTFT, then
/// in grid order.
std::vector<std::size_t> ranked(const std::vector<study::Point>& points, Goal goal);

}  // namespace tradewind::report
