#pragma once

#include <string>

#include "sim/workload/serving/serving_result.h"

namespace tradewind::report {

/// The Chrome trace of a serving run: a process a replica, a lane for each step that may be in
/// flight, and what each step carried and left waiting. Of a long run the steps that were kept
/// (StepSamples), which their category then says.
std::string serving_timeline(const workload::ServingOutcome& outcome);

}  // namespace tradewind::report
