#pragma once

#include <vector>

#include "sim/lowering/schedule/program.h"

namespace tradewind::lowering {

/// What a device holds of one chunk at the moment at which `held` weighs most. A micro-batch is
/// held from its forward pass until its weight gradient is computed.
struct ChunksHeld {
  std::vector<int> by_chunk;  ///< micro-batches, by chunk of the model
  int total = 0;
};

/// The fullest moment of a device, its chunks weighed by `bytes` (one entry a chunk of the model).
ChunksHeld most_in_flight(const StageProgram& program, const std::vector<double>& bytes);

}  // namespace tradewind::lowering
