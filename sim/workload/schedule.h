#pragma once

#include <vector>

#include "sim/lowering/pass.h"

namespace tradewind::workload {

/// One nano-batch of a replica: its sequences and the passes that prefill them. `paper` accounting
/// has pp nano-batches of `batch` sequences; otherwise `batch` is shared out evenly.
struct NanoBatch {
  int sequences = 0;
  std::vector<lowering::PassShape> prefill;
};

/// Splits the batch into nano-batches, and each one's prefill by the runtime's token budget
/// (`max_num_batched_tokens`): whole sequences as long as they fit, a longer sequence in chunks.
std::vector<NanoBatch> nano_batches(const scenario::Scenario& scenario,
                                    const scenario::StaticBatch& batch);

/// Decode step `step` (1 = the second output token) of a nano-batch.
inline lowering::PassShape decode_shape(const scenario::StaticBatch& batch, int sequences,
                                        int step) {
  return {lowering::Phase::decode, sequences, 1, batch.input_tokens + step, true};
}

}  // namespace tradewind::workload
