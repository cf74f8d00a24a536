#include "sim/graph/task_graph_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/graph/cycle.h"

namespace tradewind::graph {
namespace {

/// Ids and offsets are 32 bits wide.
constexpr std::size_t kMostEntries = std::numeric_limits<std::uint32_t>::max() - 1;

/// Wider than any use, and narrow enough that the speed of no task can underflow to zero.
constexpr double kLeastWeight = 1e-6;

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

void require_known(const char* kind, std::uint32_t id, std::size_t count) {
  if (id >= count) {
    throw std::invalid_argument(fmt::format("unknown {} {} ({} exist)", kind, id, count));
  }
}

bool positive(double value) {
  return std::isfinite(value) && value > 0;
}

std::string describe_cycle(const TaskGraph& graph, std::span<const TaskId> cycle) {
  std::string text = "tasks wait for each other:";
  for (const TaskId task : cycle) {
    text += fmt::format(" task {} (stream {}, label {}) ->", task, graph.stream(task),
                        graph.label(task));
  }
  return text + fmt::format(" task {}", cycle.front());
}

}  // namespace

StreamId TaskGraphBuilder::add_stream() {
  first_of_stream_.push_back(kNoTask);
  last_of_stream_.push_back(kNoTask);
  return static_cast<StreamId>(graph_.stream_count_++);
}

ResourceId TaskGraphBuilder::add_resource(double capacity) {
  require(positive(capacity), "a resource needs a finite capacity above zero");
  graph_.capacities_.push_back(capacity);
  return static_cast<ResourceId>(graph_.capacities_.size() - 1);
}

TaskId TaskGraphBuilder::add_task(const TaskSpec& task) {
  require_known("stream", task.stream, graph_.stream_count_);
  require(task.latency.ps >= 0, "a task needs a latency of zero or more");
  require(task.weight >= kLeastWeight && task.weight <= 1 / kLeastWeight,
          "a task needs a weight from 1e-6 to 1e6");
  require(graph_.records_.size() < kMostEntries, "too many tasks");
  check_demands(task.demands);

  const auto id = static_cast<TaskId>(graph_.records_.size());
  const auto first_demand = static_cast<std::uint32_t>(graph_.demands_.size());
  const Time work = append_demands(task.demands);
  graph_.records_.push_back({.latency = task.latency,
                             .work = work,
                             .weight = task.weight,
                             .stream = task.stream,
                             .next_in_stream = kNoTask,
                             .first_demand = first_demand,
                             .first_successor = 0});
  graph_.labels_.push_back(task.label);

  const TaskId previous = last_of_stream_[task.stream];
  graph_.predecessor_counts_.push_back(previous == kNoTask ? 0 : 1);
  if (previous == kNoTask) {
    first_of_stream_[task.stream] = id;
  } else {
    graph_.records_[previous].next_in_stream = id;
  }
  last_of_stream_[task.stream] = id;
  return id;
}

void TaskGraphBuilder::check_demands(std::span<const Demand> demands) const {
  require(graph_.demands_.size() + demands.size() < kMostEntries, "too many demands");
  for (const Demand& demand : demands) {
    require_known("resource", demand.resource, graph_.capacities_.size());
    require(
        demand.amount >= 0 && std::isfinite(demand.amount / graph_.capacities_[demand.resource]),
        "a demand needs an amount of zero or more that takes a finite time");
  }
}

/// Appends the demands of the next task and returns its work.
Time TaskGraphBuilder::append_demands(std::span<const Demand> demands) {
  auto& all = graph_.demands_;
  const std::size_t first = all.size();
  for (const Demand& demand : demands) {
    if (demand.amount == 0) continue;
    const double alone_s = demand.amount / graph_.capacities_[demand.resource];
    const auto same =
        std::find_if(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                     [&](const ResourceShare& other) { return other.resource == demand.resource; });
    if (same == all.end()) {
      all.push_back({.share = alone_s, .resource = demand.resource});
    } else {
      same->share += alone_s;
    }
  }
  double slowest_s = 0;
  for (std::size_t i = first; i < all.size(); ++i) slowest_s = std::max(slowest_s, all[i].share);
  const Time work = Time::from_seconds(slowest_s);
  if (work.ps == 0) all.resize(first);
  for (std::size_t i = first; i < all.size(); ++i) all[i].share /= slowest_s;
  return work;
}

void TaskGraphBuilder::add_dependency(TaskId before, TaskId after) {
  require_known("task", before, graph_.records_.size());
  require_known("task", after, graph_.records_.size());
  require(dependencies_.size() < kMostEntries, "too many dependencies");
  forward_only_ = forward_only_ && before < after;
  dependencies_.push_back({before, after});
}

void TaskGraphBuilder::reserve(std::size_t tasks, std::size_t demands, std::size_t dependencies) {
  graph_.records_.reserve(tasks);
  graph_.labels_.reserve(tasks);
  graph_.predecessor_counts_.reserve(tasks);
  graph_.demands_.reserve(demands);
  dependencies_.reserve(dependencies);
}

TaskGraph TaskGraphBuilder::build() const& {
  TaskGraph graph = graph_;
  complete(graph);
  return graph;
}

TaskGraph TaskGraphBuilder::build() && {
  TaskGraph graph = std::move(graph_);
  complete(graph);
  return graph;
}

void TaskGraphBuilder::complete(TaskGraph& graph) const {
  store_successors(graph);
  store_user_offsets(graph);
  if (!forward_only_) {
    const std::vector<TaskId> cycle = find_cycle(graph);
    if (!cycle.empty()) throw std::invalid_argument(describe_cycle(graph, cycle));
  }
}

void TaskGraphBuilder::store_successors(TaskGraph& graph) const {
  std::vector<std::uint32_t> position(graph.records_.size(), 0);
  for (const Dependency& dependency : dependencies_) ++position[dependency.before];
  std::uint32_t offset = 0;
  for (std::size_t task = 0; task < position.size(); ++task) {
    graph.records_[task].first_successor = offset;
    offset += std::exchange(position[task], offset);
  }
  graph.successors_.resize(dependencies_.size());
  for (const Dependency& dependency : dependencies_) {
    graph.successors_[position[dependency.before]++] = dependency.after;
    ++graph.predecessor_counts_[dependency.after];
  }
}

void TaskGraphBuilder::store_user_offsets(TaskGraph& graph) const {
  constexpr StreamId kNoStream = std::numeric_limits<StreamId>::max();
  std::vector<StreamId> last_user(graph.resource_count(), kNoStream);
  graph.user_offsets_.assign(graph.resource_count() + 1, 0);
  for (StreamId stream = 0; stream < graph.stream_count(); ++stream) {
    TaskId task = first_of_stream_[stream];
    for (; task != kNoTask; task = graph.next_in_stream(task)) {
      for (const ResourceShare& demand : graph.demands(task)) {
        if (std::exchange(last_user[demand.resource], stream) != stream) {
          ++graph.user_offsets_[demand.resource + 1];
        }
      }
    }
  }
  std::partial_sum(graph.user_offsets_.begin(), graph.user_offsets_.end(),
                   graph.user_offsets_.begin());
}

}  // namespace tradewind::graph
