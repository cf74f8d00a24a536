#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::workload {

struct RunOptions {
  bool full = false;           ///< every rank, layer and step through the engine, no shortcut
  bool keep_requests = false;  ///< of serving: the result carries what became of each
  bool keep_schedule = false;  ///< of training: the result carries every task of the step
};

/// One scenario to the end. An infeasible plan is a result with a reason; with
/// plan.memory_check = report it is simulated all the same.
Result run(const scenario::Scenario& scenario, const RunOptions& options = {});

}  // namespace tradewind::workload
