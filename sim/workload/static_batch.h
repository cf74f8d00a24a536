#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::workload {

/// Runs a feasible static batch: prefill of every nano-batch, then decode step after step with
/// growing context, through the pipeline recurrences of pipeline.h. Symmetric ranks are folded and
/// repeated layers are powers of one (lowering/chain.h); run_unfolded() gives the same times from
/// the engine, to the picosecond.
void run_static_batch(const scenario::Scenario& scenario, const scenario::StaticBatch& batch,
                      Result& result);

}  // namespace tradewind::workload
