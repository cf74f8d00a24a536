#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/time.h"
#include "sim/graph/task_graph.h"
#include "sim/lowering/schedule/program.h"

namespace tradewind::lowering {

/// A run of layers inside an operation, with what the data-parallel group moves for it.
struct Piece {
  Time compute;
  Time gather;  ///< of its parameters, before it; zero: they are there
  Time reduce;  ///< of its gradients, after it
};
using Pieces = std::vector<Piece>;

/// Times of one chunk of the model.
struct ChunkWork {
  Pieces forward, backward, backward_input, backward_weight;
  Time send_forward;   ///< of its output to the next chunk
  Time send_backward;  ///< of its input's gradient to the chunk before
};

/// Which micro-batches of a step move parameters or gradients.
enum class Moves { never, once, each };

/// A pipeline's step with all its times.
struct StepWork {
  std::vector<ChunkWork> chunks;
  Moves gathers_forward = Moves::never;   ///< once: before the first micro-batch
  Moves gathers_backward = Moves::never;  ///< again, where they are not kept
  Moves reduces = Moves::never;           ///< once: after the last micro-batch
  bool overlaps = true;                   ///< those beside the computation of other layers
  bool blocking_sends = false;            ///< a send holds the compute stream of the sender
  double compute_units_held = 0;  ///< of the device, by a collective of the data-parallel group
  /// By device, after its own gradients are reduced: optimizer and what comes with it.
  std::vector<Time> optimizer;
  Time agreement;                 ///< of all devices before any optimizer (gradient norm)
  bool stages_end_alone = false;  ///< no agreement before the optimizer
};

enum class StepTask : std::uint8_t { compute, send, gather, reduce, agreement, optimizer };

/// A step as the engine runs it, one device a stage.
struct StepGraph {
  struct Task {
    StepTask kind;
    StageOp op;
    int device;
  };
  graph::TaskGraph graph;
  std::vector<Task> tasks;  ///< by TaskId
};

StepGraph build_step_graph(const std::vector<StageProgram>& programs, const StepWork& work);

}  // namespace tradewind::lowering
