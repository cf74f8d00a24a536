#pragma once

#include <vector>

#include "sim/graph/task_graph.h"

namespace tradewind::graph {

/// Tasks that wait for each other through dependencies and the order of streams, each before the
/// one that waits for it; empty if there are none. Linear in tasks and dependencies.
std::vector<TaskId> find_cycle(const TaskGraph& graph);

}  // namespace tradewind::graph
