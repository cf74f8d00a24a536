#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::workload {

/// One block's forward pass on one tensor-parallel group.
void run_block(const scenario::Scenario& scenario, const scenario::Block& block, Result& result);

}  // namespace tradewind::workload
