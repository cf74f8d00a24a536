#pragma once

#include <string>

#include "sim/workload/training_schedule.h"

namespace tradewind::report {

/// The Chrome trace of a training step: a process a pipeline stage, in it a lane of its computation
/// (forward and backward passes, optimizer) and one of each kind of transfer. Slices are the
/// engine's tasks, their categories what they are, their arguments micro-batch and chunk.
std::string training_timeline(const workload::TrainingSchedule& schedule);

}  // namespace tradewind::report
