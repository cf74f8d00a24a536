#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/run.h"

namespace tradewind::workload {

/// One optimizer step of a training scenario, one device a pipeline stage: ranks of a tensor,
/// context or data-parallel group do the same, so one stands for all; `full`: every replica and
/// layer by itself. REQUIRES: no structural reason. Writes feasibility and memory too, as both
/// depend on the schedule; the tasks where `keep_schedule` asks for them.
void run_training(const scenario::Scenario& scenario, const RunOptions& options, Result& result);

}  // namespace tradewind::workload
