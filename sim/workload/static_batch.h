#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::workload {

/// Runs a static batch whose plan divides the model. Folded (static_batch_run.h), or with `full`
/// every rank, layer, kernel and step through the engine: the times are the same to the picosecond.
/// At most `together` sequences of a replica at a time, each such wave to its end.
void run_static_batch(const scenario::Scenario& scenario, const scenario::StaticBatch& batch,
                      int together, bool full, Result& result);

}  // namespace tradewind::workload
