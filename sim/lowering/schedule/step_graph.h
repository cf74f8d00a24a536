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
};

/// How long a micro-batch is on its way from one chunk to the next, or its gradient back: nothing
/// where both are on one device (the turn of a V).
struct Handover {
  Time near;                    ///< inside a node
  Time far;                     ///< over the network
  std::vector<int> node_of;     ///< by device
  bool shares_network = false;  ///< with the collectives of the data-parallel group
};

/// Which micro-batches of a step move parameters or gradients.
enum class Moves { never, once, each };

/// What a message between stages keeps waiting.
enum class Sends {
  beside,   ///< nothing
  holding,  ///< the computation of its sender
  batched,  ///< the same; a turn's two go at once, and the next turn waits for all that it takes
};

/// A pipeline's step with all its times.
struct StepWork {
  std::vector<ChunkWork> chunks;
  Handover handover;
  Moves gathers_forward = Moves::never;   ///< once: before the first micro-batch
  Moves gathers_backward = Moves::never;  ///< again, where they are not kept
  Moves reduces = Moves::never;           ///< once: after the last micro-batch
  bool overlaps = true;                   ///< those beside the computation of other layers
  Sends sends = Sends::beside;
  double compute_units_held = 0;  ///< of the device, by a collective of the data-parallel group
  /// By device: what is reduced after all of its work, the optimizer, what is gathered after it.
  std::vector<Time> final_reduce, optimizer, final_gather;
  Time agreement;                 ///< of all devices before any optimizer (gradient norm)
  bool stages_end_alone = false;  ///< no agreement before the optimizer
};

enum class StepTask : std::uint8_t { compute, send, gather, reduce, agreement, optimizer };

/// A step as the engine runs it, one device a stage (and a replica, where they are unfolded).
struct StepGraph {
  struct Task {
    StepTask kind;
    StageOp op;
    int device;
  };
  graph::TaskGraph graph;
  std::vector<Task> tasks;  ///< by TaskId
};

/// What stands for what. By default one replica stands for all of the data-parallel group, which
/// does the same at the same time, and one task for the layers of an operation that nothing comes
/// between. `run --full` undoes both; tests prove them equal.
struct Unfolding {
  int replicas = 1;     ///< devices: replica after replica, each with all stages
  bool layers = false;  ///< a task for each piece
};

StepGraph build_step_graph(const std::vector<StageProgram>& programs, const StepWork& work,
                           const Unfolding& unfolding = {});

}  // namespace tradewind::lowering
