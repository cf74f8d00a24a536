#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/time.h"

namespace tradewind::workload {

using SequenceId = std::int32_t;

/// A request while the server has it.
struct Sequence {
  std::int64_t request = 0;  ///< its number in the run
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;
  std::int32_t prefix = -1;  ///< shared with others; -1: none
  std::int32_t prefix_tokens = 0;

  std::int32_t computed = 0;  ///< tokens whose keys and values are in the cache
  std::int32_t generated = 0;
  std::int32_t blocks = 0;         ///< of the cache, held by this sequence alone
  std::int32_t shared_blocks = 0;  ///< of its prefix
  std::int32_t group = 0;          ///< micro-batch (scheduler `static`)
  bool in_flight = false;          ///< in a step that has not ended

  /// Tokens that the next output token needs in the cache.
  std::int32_t length() const { return input_tokens + generated; }
  std::int32_t missing() const { return length() - computed; }
  std::int32_t final_length() const { return input_tokens + output_tokens; }
  bool decodes() const { return generated > 0 && missing() == 1; }
};

/// What a step does for one sequence.
struct ScheduledSequence {
  SequenceId id;
  std::int32_t new_tokens;
};
using ScheduledStep = std::vector<ScheduledSequence>;

}  // namespace tradewind::workload
