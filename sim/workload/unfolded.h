#pragma once

#include <vector>

#include "sim/engine/timeline.h"
#include "sim/lowering/unfold.h"
#include "sim/workload/static_batch_run.h"

namespace tradewind::workload {

/// The passes of a static batch in the order of stage 0, with at most `decode_steps` of decode.
std::vector<lowering::ScheduledPass> scheduled_passes(const RunContext& context,
                                                      const scenario::StaticBatch& batch,
                                                      int decode_steps);

/// A static batch with every rank, layer, kernel and step in one task graph, run by the engine.
struct UnfoldedRun {
  std::vector<lowering::ScheduledPass> passes;
  lowering::UnfoldedGraph unfolded;
  engine::Timeline timeline;
  Ends simulated, without_communication;
};

/// Throws InputError where the graph would not fit in memory (beyond 60 million tasks).
UnfoldedRun run_unfolded(const RunContext& context, const scenario::StaticBatch& batch,
                         int decode_steps);
/// One block's forward pass alike.
UnfoldedRun run_unfolded(const RunContext& context, const scenario::Block& block);

}  // namespace tradewind::workload
