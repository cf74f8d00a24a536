#pragma once

#include "sim/graph/task_graph.h"

namespace tradewind::graph {

/// Calls `visit` with each task that waits for `task`: by dependency or as the next in its stream.
template <typename Visit>
void for_each_follower(const TaskGraph& graph, TaskId task, Visit&& visit) {
  for (const TaskId successor : graph.successors(task)) visit(successor);
  const TaskId next = graph.next_in_stream(task);
  if (next != kNoTask) visit(next);
}

}  // namespace tradewind::graph
