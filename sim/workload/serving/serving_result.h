#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/time.h"

namespace tradewind::workload {

/// What became of one request.
struct RequestOutcome {
  Time arrival;
  Time admitted;  ///< its first step was scheduled
  Time first_token;
  Time last_token;
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;
  std::int32_t preemptions = 0;
  std::int32_t cached_tokens = 0;  ///< of its prompt, found in the prefix cache
  bool rejected = false;  ///< beyond the KV cache or the model's positions; its times mean nothing

  Time ttft() const { return first_token - arrival; }
  Time e2e_latency() const { return last_token - arrival; }
  double tpot_s() const { return (last_token - first_token).seconds() / (output_tokens - 1); }
};

/// One step of one replica and how it left the queues.
struct StepSample {
  Time start, end;  ///< from when it was scheduled to when its tokens were there
  std::int32_t replica = 0;
  std::int32_t decodes = 0;
  std::int32_t chunks = 0;
  std::int32_t chunk_tokens = 0;
  std::int32_t running = 0, waiting = 0;
  std::int64_t used_blocks = 0;
};

/// Every step, or every 2nd, 4th ... of those of a long run: at most so many are kept.
struct StepSamples {
  static constexpr std::size_t kMost = std::size_t{1} << 14;
  std::vector<StepSample> kept;
  std::uint64_t stride = 1, seen = 0;

  void add(const StepSample& sample);
};

/// What one serving run leaves behind, beside its metrics.
struct ServingOutcome {
  std::vector<RequestOutcome> requests;  ///< in order of arrival
  StepSamples steps;
  std::int64_t capacity_blocks = 0;  ///< of one replica; -1: no bound
  int block_tokens = 1;
  int replicas = 1;
};

}  // namespace tradewind::workload
