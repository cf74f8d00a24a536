#pragma once

#include <span>
#include <vector>

#include "sim/core/time.h"
#include "sim/graph/task_graph.h"

namespace tradewind::graph {

/// A longest chain of tasks, each waiting for the one before, and the sum of its durations.
struct CriticalPath {
  std::vector<TaskId> tasks;
  Time length;
};

/// How long each task takes with no company: latency and work.
std::vector<Time> solo_durations(const TaskGraph& graph);

/// The longest chain through dependencies and streams when task i takes `durations[i]`.
/// No schedule with these durations is shorter.
CriticalPath critical_path(const TaskGraph& graph, std::span<const Time> durations);

/// How much later than possible each task may start without lengthening the longest chain.
std::vector<Time> slack(const TaskGraph& graph, std::span<const Time> durations);

}  // namespace tradewind::graph
