#pragma once

#include "sim/scenario/scenario.h"

namespace tradewind::scenario {

/// What bounds a serving step: the scenario's `scheduler`, else the runtime's figure.
struct StepBounds {
  int max_num_seqs = 0;  ///< sequences of a replica in one step
  /// Tokens of a replica in one step; where neither says one, all expected prompts at once. A
  /// runtime that `balances_steps`: balanced_step_tokens.
  int max_num_batched_tokens = 0;
  double gpu_memory_utilization = 1;
  int block_size = 1;  ///< tokens of a block of the KV cache
};

StepBounds step_bounds(const Scenario& scenario, const Serving& serving);

/// Tokens of a step in the long run: a cache that holds b whole requests of i + o tokens generates
/// b tokens a step, of which b / o end a request, so that b i / o tokens of prompts come in:
///
///   b = min(max_num_seqs, free share x (memory - weights of all devices) / KV bytes of i + o)
///   tokens = b (1 + i / o), at least 2048 and at most 32768
///
/// So trtllm-bench tunes max_num_tokens to a data set's mean lengths (tensorrt_llm/bench/build/
/// tuning.py; written from memory, the source was out of reach: its rounding to multiples is left
/// out, and the least of 2048 is what the fit points of H100 FP8 70B TP1 ask for, whose cache is
/// the smaller the more activations a step has).
double balanced_step_tokens(const Scenario& scenario, const Serving& serving);

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
