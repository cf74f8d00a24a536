#include "sim/graph/critical_path.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "sim/graph/followers.h"

namespace tradewind::graph {
namespace {

using Precedence =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, std::uint32_t, std::uint32_t>;

Precedence precedence_graph(const TaskGraph& graph) {
  std::vector<std::pair<TaskId, TaskId>> edges;
  for (TaskId task = 0; task < graph.task_count(); ++task) {
    for_each_follower(graph, task, [&](TaskId follower) { edges.emplace_back(task, follower); });
  }
  return {boost::edges_are_sorted, edges.begin(), edges.end(),
          static_cast<std::uint32_t>(graph.task_count())};
}

/// Tasks such that each comes after all that wait for it.
std::vector<TaskId> last_to_first(const TaskGraph& graph) {
  std::vector<TaskId> order;
  order.reserve(graph.task_count());
  Precedence precedence = precedence_graph(graph);
  boost::topological_sort(precedence, std::back_inserter(order));
  return order;
}

/// Longest chain that ends just before each task (`head`) and that starts with it (`tail`).
struct Chains {
  std::vector<Time> head;
  std::vector<Time> tail;
  std::vector<TaskId> previous;
};

Chains longest_chains(const TaskGraph& graph, std::span<const Time> durations) {
  if (durations.size() != graph.task_count()) {
    throw std::invalid_argument("one duration a task is needed");
  }
  const std::vector<TaskId> order = last_to_first(graph);
  const std::size_t count = graph.task_count();
  Chains chains{std::vector<Time>(count), std::vector<Time>(count),
                std::vector<TaskId>(count, kNoTask)};
  for (const TaskId task : order) {
    Time longest{};
    for_each_follower(graph, task,
                      [&](TaskId after) { longest = std::max(longest, chains.tail[after]); });
    chains.tail[task] = durations[task] + longest;
  }
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    const Time end = chains.head[*task] + durations[*task];
    for_each_follower(graph, *task, [&](TaskId after) {
      if (chains.previous[after] != kNoTask && end <= chains.head[after]) return;
      chains.head[after] = end;
      chains.previous[after] = *task;
    });
  }
  return chains;
}

}  // namespace

std::vector<Time> solo_durations(const TaskGraph& graph) {
  std::vector<Time> durations(graph.task_count());
  for (TaskId task = 0; task < durations.size(); ++task) {
    durations[task] = graph.latency(task) + graph.work(task);
  }
  return durations;
}

CriticalPath critical_path(const TaskGraph& graph, std::span<const Time> durations) {
  const Chains chains = longest_chains(graph, durations);
  CriticalPath path;
  TaskId last = kNoTask;
  for (TaskId task = 0; task < graph.task_count(); ++task) {
    const Time end = chains.head[task] + durations[task];
    if (last != kNoTask && end <= path.length) continue;
    path.length = end;
    last = task;
  }
  for (; last != kNoTask; last = chains.previous[last]) path.tasks.push_back(last);
  std::reverse(path.tasks.begin(), path.tasks.end());
  return path;
}

std::vector<Time> slack(const TaskGraph& graph, std::span<const Time> durations) {
  const Chains chains = longest_chains(graph, durations);
  Time length{};
  for (const Time tail : chains.tail) length = std::max(length, tail);
  std::vector<Time> slack(graph.task_count());
  for (TaskId task = 0; task < slack.size(); ++task) {
    slack[task] = length - chains.tail[task] - chains.head[task];
  }
  return slack;
}

}  // namespace tradewind::graph
