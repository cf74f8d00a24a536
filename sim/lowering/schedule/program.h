#pragma once

#include <vector>

namespace tradewind::lowering {

/// What a device of a pipeline does with one micro-batch and one chunk of the model's layers.
enum class StageOpKind {
  forward,
  backward,         ///< both gradients in one
  backward_input,   ///< the gradient of the chunk's input, which the chunk before waits for
  backward_weight,  ///< the gradient of its weights, which nobody waits for
};

/// Every micro-batch passes all chunks of the model, 0 to chunks - 1, forward and then backward;
/// what an operation waits for follows from that chain, wherever its chunks stand.
struct StageOp {
  StageOpKind kind = StageOpKind::forward;
  int micro_batch = 0;
  int chunk = 0;
  /// Runs side by side with the operation after it: both start and both end together.
  bool with_next = false;
  /// A turn of an interleaved schedule: what it and the operation after it send may go together.
  bool starts_turn = false;

  bool operator==(const StageOp&) const = default;
};

/// All that one device does, in the order in which it does it.
using StageProgram = std::vector<StageOp>;

/// How long the operations of one chunk take: only the ratios count.
struct ChunkTimes {
  double forward = 1, backward_input = 1, backward_weight = 1;
  double transfer = 0;  ///< to the chunk's neighbour on another device

  double of(StageOpKind kind) const {
    switch (kind) {
      case StageOpKind::forward:
        return forward;
      case StageOpKind::backward:
        return backward_input + backward_weight;
      case StageOpKind::backward_input:
        return backward_input;
      default:
        return backward_weight;
    }
  }
};

struct ScheduleShape {
  int stages = 1;          ///< p: devices in the pipeline
  int micro_batches = 1;   ///< m: of one step
  int virtual_stages = 1;  ///< v: chunks a device, where the schedule leaves it open
  ChunkTimes times;        ///< read by searched schedules only
};

/// Operations of one kind and chunk, micro-batch after micro-batch, are the parts that orders are
/// written in.
inline void add_op(StageProgram& program, StageOpKind kind, int micro_batch, int chunk) {
  program.push_back({kind, micro_batch, chunk, false});
}

}  // namespace tradewind::lowering
