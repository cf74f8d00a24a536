#pragma once

#include <vector>

#include "sim/core/time.h"
#include "sim/lowering/schedule/schedule.h"
#include "sim/lowering/schedule/step_graph.h"

namespace tradewind::lowering {

/// One step of a schedule through the engine, all chunks alike, nothing but the schedule.
struct ScheduleRun {
  Time makespan;
  Time longest_span;       ///< of a device, from its first operation to its last
  std::vector<Time> busy;  ///< by device
};

/// Chunks take `times` in picoseconds.
ScheduleRun run_schedule(const Schedule& schedule, const ScheduleShape& shape,
                         const ChunkTimes& times, Sends sends = Sends::beside);

}  // namespace tradewind::lowering
