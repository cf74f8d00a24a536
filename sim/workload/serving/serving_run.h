#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::workload {

/// Serves the requests of a scenario whose plan divides the model and fits, `result.memory` known.
/// With `keep_outcome` the result carries every request and the steps.
///
/// Communication and light are those of the steps as they were scheduled: exposed communication is
/// what the busiest replica's steps take longer, one after the other, than the same steps without
/// communication.
void run_serving(const scenario::Scenario& scenario, const scenario::Serving& serving,
                 bool keep_outcome, Result& result);

}  // namespace tradewind::workload
