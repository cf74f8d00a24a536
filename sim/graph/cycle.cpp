#include "sim/graph/cycle.h"

#include <algorithm>

#include "sim/graph/followers.h"

namespace tradewind::graph {
namespace {

/// For each task, the number of predecessors left once every task that can run has run.
std::vector<std::uint32_t> unmet_predecessors(const TaskGraph& graph) {
  const auto counts = graph.predecessor_counts();
  std::vector<std::uint32_t> unmet(counts.begin(), counts.end());
  std::vector<TaskId> ready;
  for (TaskId task = 0; task < unmet.size(); ++task) {
    if (unmet[task] == 0) ready.push_back(task);
  }
  while (!ready.empty()) {
    const TaskId task = ready.back();
    ready.pop_back();
    for_each_follower(graph, task, [&](TaskId follower) {
      if (--unmet[follower] == 0) ready.push_back(follower);
    });
  }
  return unmet;
}

}  // namespace

std::vector<TaskId> find_cycle(const TaskGraph& graph) {
  const std::vector<std::uint32_t> unmet = unmet_predecessors(graph);
  std::vector<TaskId> blocker(unmet.size(), kNoTask);
  TaskId blocked = kNoTask;
  for (TaskId task = 0; task < unmet.size(); ++task) {
    if (unmet[task] == 0) continue;
    blocked = task;
    for_each_follower(graph, task, [&](TaskId follower) { blocker[follower] = task; });
  }
  if (blocked == kNoTask) return {};

  // Every blocked task has a blocked predecessor: walking back must come round.
  std::vector<bool> seen(unmet.size(), false);
  for (; !seen[blocked]; blocked = blocker[blocked]) seen[blocked] = true;
  std::vector<TaskId> cycle = {blocked};
  for (TaskId task = blocker[blocked]; task != blocked; task = blocker[task]) {
    cycle.push_back(task);
  }
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

}  // namespace tradewind::graph
