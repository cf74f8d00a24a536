#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/time.h"
#include "sim/graph/task_graph.h"

namespace tradewind::graph {

/// An amount (bytes, flops, unit-seconds) that a task draws from a resource.
struct Demand {
  ResourceId resource = 0;
  double amount = 0;
};

/// A task as the caller states it.
struct TaskSpec {
  StreamId stream = 0;
  /// Spent first, holding the stream and no resource.
  Time latency = {};
  /// Priority in the sharing of resources, from 1e-6 to 1e6.
  double weight = 1;
  /// Read during `add_task` only. Amounts on one resource add up; zero amounts do not count.
  std::span<const Demand> demands = {};
  /// Opaque to graph and engine.
  std::uint32_t label = 0;
};

/// Collects streams, resources, tasks and dependencies, and checks them.
/// Every member throws `std::invalid_argument` on an unknown id or a value out of its range.
class TaskGraphBuilder {
 public:
  StreamId add_stream();
  /// A resource that serves `capacity` units of amount a second, > 0.
  ResourceId add_resource(double capacity);
  /// Appends a task to its stream. Ids count up from 0 in order of addition, for each kind.
  TaskId add_task(const TaskSpec& task);
  /// `after` starts only when `before` has finished. Order within a stream needs no dependency.
  void add_dependency(TaskId before, TaskId after);
  void reserve(std::size_t tasks, std::size_t demands, std::size_t dependencies);

  /// The graph so far. Throws `std::invalid_argument` that names the tasks of a cycle, if the
  /// dependencies and the order of the streams contain one.
  TaskGraph build() const&;
  /// The same without a copy, for a builder that is through.
  TaskGraph build() &&;

 private:
  struct Dependency {
    TaskId before;
    TaskId after;
  };

  void check_demands(std::span<const Demand> demands) const;
  Time append_demands(std::span<const Demand> demands);
  void complete(TaskGraph& graph) const;
  void store_successors(TaskGraph& graph) const;
  void store_user_offsets(TaskGraph& graph) const;

  /// Without what follows from the dependencies and from the last task; `build` adds that.
  TaskGraph graph_;
  std::vector<TaskId> first_of_stream_;
  std::vector<TaskId> last_of_stream_;
  std::vector<Dependency> dependencies_;
  /// Whether every dependency points to a later task, which rules out cycles.
  bool forward_only_ = true;
};

}  // namespace tradewind::graph
