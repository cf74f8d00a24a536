#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/time.h"
#include "sim/graph/task_graph.h"

namespace tradewind::engine {

/// The next event of each stream, as a tournament tree: a node holds the earlier of the times of
/// its two children, a leaf the time of one stream.
///
/// A stream runs one task at a time, so it has at most one event to come, and (time, stream) is a
/// total order. A changed date overwrites a leaf: there are no stale events to skip.
class EventQueue {
 public:
  static constexpr Time kNever = Time::max();

  /// Empties the queue and makes room for so many streams.
  void reset(std::size_t streams);
  bool empty() const { return next_time() == kNever; }
  /// Time of the first event; `kNever` if there is none.
  Time next_time() const { return Time{nodes_[1]}; }
  /// The stream whose event is first; the lowest one of those at the same time.
  graph::StreamId next_stream() const;
  /// Sets the time of the stream's event; `kNever` removes it.
  void set(graph::StreamId stream, Time time);

 private:
  /// Node i has the children 2i and 2i + 1; the root is node 1; leaves start at `leaves_`.
  std::vector<std::int64_t> nodes_;
  std::size_t leaves_ = 0;
};

inline graph::StreamId EventQueue::next_stream() const {
  const std::int64_t first = nodes_[1];
  std::size_t node = 1;
  while (node < leaves_) {
    node *= 2;
    node += nodes_[node] != first ? 1U : 0U;
  }
  return static_cast<graph::StreamId>(node - leaves_);
}

inline void EventQueue::set(graph::StreamId stream, Time time) {
  std::size_t node = leaves_ + stream;
  std::int64_t first = time.ps;
  nodes_[node] = first;
  while (node > 1) {
    const std::int64_t sibling = nodes_[node ^ 1U];
    first = sibling < first ? sibling : first;
    node /= 2;
    if (nodes_[node] == first) return;
    nodes_[node] = first;
  }
}

inline void EventQueue::reset(std::size_t streams) {
  leaves_ = 1;
  while (leaves_ < streams) leaves_ *= 2;
  nodes_.assign(2 * leaves_, kNever.ps);
}

}  // namespace tradewind::engine
