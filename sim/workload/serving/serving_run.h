#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::workload {

/// Continuous batching, request by request, into `result`.
void run_serving(const scenario::Scenario& scenario, const scenario::Serving& serving,
                 Result& result);

}  // namespace tradewind::workload
