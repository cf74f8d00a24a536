#pragma once

#include "sim/scenario/scenario.h"

namespace tradewind::scenario {

/// What bounds a serving step: the scenario's `scheduler`, else the runtime's figure.
struct StepBounds {
  int max_num_seqs = 0;  ///< sequences of a replica in one step
  /// Tokens of a replica in one step; where neither says one, all expected prompts at once.
  int max_num_batched_tokens = 0;
  double gpu_memory_utilization = 1;
  int block_size = 1;  ///< tokens of a block of the KV cache
};

StepBounds step_bounds(const Scenario& scenario, const Serving& serving);

/// Expected tokens of a request: the distributions' means (before values are cut to their bounds),
/// or the file's.
struct MeanTokens {
  double input = 0;
  double output = 0;
  double total() const { return input + output; }
};

MeanTokens mean_tokens(const RequestSource& requests);

/// The most sequences that one replica can hold at once: `max_num_seqs`, or fewer where fewer are
/// ever asked for (all requests, or the clients of a closed loop, shared out over the replicas).
int most_sequences(const Scenario& scenario, const Serving& serving);

}  // namespace tradewind::scenario
