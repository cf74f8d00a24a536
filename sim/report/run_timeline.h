#pragma once

#include <string>

#include "sim/scenario/scenario.h"

namespace tradewind::report {

/// Decode steps that a timeline shows unless all are asked for: the steps differ only in context.
inline constexpr int kTimelineDecodeSteps = 4;

/// The Chrome trace of a scenario that divides: every rank unfolded through the engine, one lane a
/// device stream, prefill and the first decode steps (or all of them). Streams without tasks, and
/// tasks that take no time, are left out. Throws InputError when it would not fit in memory.
std::string run_timeline(const scenario::Scenario& scenario, bool all_steps);

}  // namespace tradewind::report
