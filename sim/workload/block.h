#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::workload {

/// One block's forward pass on one tensor-parallel group; with `full` every rank through the
/// engine.
void run_block(const scenario::Scenario& scenario, const scenario::Block& block, bool full,
               Result& result);

}  // namespace tradewind::workload
