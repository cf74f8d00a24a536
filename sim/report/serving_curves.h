#pragma once

#include <vector>

#include "sim/workload/serving/serving_result.h"

namespace tradewind::report {

/// The distribution of a latency: the share `share[i]` of the requests took at most `value[i]`.
struct Distribution {
  std::vector<double> value, share;
};

/// The step function of all values, of many at most 400 of its points.
Distribution distribution_of(std::vector<double> values);

/// Latencies of the requests that were served, in ms.
struct Latencies {
  Distribution ttft, tpot, e2e;
};
Latencies latencies_of(const workload::ServingOutcome& outcome);

/// A run in equal pieces of time. Of queues and cache the mean over what steps were seen in each
/// piece, all replicas together (0 before the first); of rates what ended in it.
struct TimeCurves {
  std::vector<double> end_s;  ///< of each piece
  std::vector<double> running, waiting, cache_share;
  std::vector<double> output_tokens_per_s;  ///< as if each request's came evenly
  std::vector<double> requests_per_s;       ///< that ended
};
TimeCurves time_curves(const workload::ServingOutcome& outcome);

}  // namespace tradewind::report
