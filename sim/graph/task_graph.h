#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim/core/time.h"

namespace tradewind::graph {

using TaskId = std::uint32_t;
using StreamId = std::uint32_t;
using ResourceId = std::uint32_t;

/// Stands for "no such task", as after the last task of a stream.
inline constexpr TaskId kNoTask = std::numeric_limits<TaskId>::max();

/// What a task takes of one resource while it runs alone: the fraction of the capacity, in (0, 1].
/// It is 1 on the resource that bounds the task.
struct ResourceShare {
  double share;
  ResourceId resource;
};

/// Tasks, the order between them and what they demand, in compressed arrays; immutable.
///
/// A task first spends its latency (it holds its stream and no resource), then its work. Alone,
/// the work takes max over k of amount_k / capacity_k, rounded once to whole picoseconds. Tasks of
/// one stream run one at a time, in the order in which they were added.
class TaskGraph {
 public:
  std::size_t task_count() const { return records_.size(); }
  std::size_t stream_count() const { return stream_count_; }
  std::size_t resource_count() const { return capacities_.size(); }

  StreamId stream(TaskId task) const { return records_[task].stream; }
  Time latency(TaskId task) const { return records_[task].latency; }
  /// Time that the demands take with no company; zero for a task without demands.
  Time work(TaskId task) const { return records_[task].work; }
  /// Priority in the sharing of resources: speeds rise in proportion to it.
  double weight(TaskId task) const { return records_[task].weight; }
  /// Whatever the caller attached to the task.
  std::uint32_t label(TaskId task) const { return labels_[task]; }

  /// Each resource at most once; empty exactly when `work` is zero.
  std::span<const ResourceShare> demands(TaskId task) const {
    return slice(demands_, records_[task].first_demand, end_demand(task));
  }
  /// Tasks that an explicit dependency makes wait for this one.
  std::span<const TaskId> successors(TaskId task) const {
    return slice(successors_, records_[task].first_successor, end_successor(task));
  }
  /// The task that follows in the same stream, or `kNoTask`.
  TaskId next_in_stream(TaskId task) const { return records_[task].next_in_stream; }
  /// For each task, how many finishes it waits for: explicit dependencies, and one more unless it
  /// is the first of its stream.
  std::span<const std::uint32_t> predecessor_counts() const { return predecessor_counts_; }

  /// Starts to load the task into the cache: for a reader that knows what comes next.
  void prefetch(TaskId task) const { __builtin_prefetch(&records_[task]); }

  /// Amount that the resource serves in a second.
  double capacity(ResourceId resource) const { return capacities_[resource]; }
  /// Offsets (one more than resources) of a table with one row a resource, as long as the number
  /// of streams that ever use it: the most tasks that can be on it at once.
  std::span<const std::uint32_t> user_offsets() const { return user_offsets_; }

 private:
  friend class TaskGraphBuilder;

  /// What the event loop reads of a task, side by side: one cache line serves it all. The ranges
  /// of a task end where those of the next one begin.
  struct Record {
    Time latency;
    Time work;
    double weight;
    StreamId stream;
    TaskId next_in_stream;
    std::uint32_t first_demand;
    std::uint32_t first_successor;
  };

  template <typename T>
  static std::span<const T> slice(const std::vector<T>& all, std::size_t begin, std::size_t end) {
    return {all.data() + begin, end - begin};
  }
  std::size_t end_demand(TaskId task) const {
    return task + 1 < records_.size() ? records_[task + 1].first_demand : demands_.size();
  }
  std::size_t end_successor(TaskId task) const {
    return task + 1 < records_.size() ? records_[task + 1].first_successor : successors_.size();
  }

  std::vector<Record> records_;
  std::vector<ResourceShare> demands_;
  std::vector<TaskId> successors_;
  std::vector<std::uint32_t> predecessor_counts_;
  std::vector<std::uint32_t> labels_;
  std::vector<double> capacities_;
  std::vector<std::uint32_t> user_offsets_ = {0};
  std::size_t stream_count_ = 0;
};

}  // namespace tradewind::graph
