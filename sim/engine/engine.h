#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/time.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/fair_share.h"
#include "sim/engine/timeline.h"
#include "sim/graph/task_graph.h"

namespace tradewind::engine {

struct Options {
  /// Empty, or one entry a task: where it is not 0 the task takes no time and no resource, and
  /// keeps its place in its stream and in the dependencies.
  std::span<const std::uint8_t> zeroed = {};
};

/// Runs task graphs: a discrete-event simulation in integer picoseconds.
///
/// A task starts at the moment at which all that it depends on and the task before it in its
/// stream have finished. It spends its latency, then works at the speed that `FairShare` grants,
/// which changes as others come and go. A task that always works at full speed takes exactly
/// latency + work (if that is below 2^53 ps, 2.5 hours). The same graph gives the same timeline,
/// bit by bit.
///
/// Reuse an engine to keep its buffers: nothing is allocated an event, and after the first run of
/// a graph nothing but the timeline. One engine a thread; there is no shared state.
class Engine {
 public:
  /// Throws `std::invalid_argument` if `zeroed` is neither empty nor as long as the tasks, and
  /// `std::overflow_error` if the simulated time passes 2^62 ps (53 days).
  Timeline simulate(const graph::TaskGraph& graph, const Options& options = {});

 private:
  /// What a stream is doing. The work left and the speed hold since `since`.
  struct Stream {
    graph::TaskId task;
    bool at_work;
    double work_left_ps;
    double speed;
    Time since;
  };

  void prepare(const graph::TaskGraph& graph, const Options& options);
  void start_ready();
  void start(graph::TaskId task);
  void begin_work(graph::TaskId task);
  void process_event(graph::StreamId stream);
  void finish(graph::TaskId task);
  void release(graph::TaskId task);
  void apply_speeds();

  const graph::TaskGraph* graph_ = nullptr;
  std::span<const std::uint8_t> zeroed_;
  Timeline timeline_;
  Time now_;
  EventQueue queue_;
  FairShare fair_share_;
  std::vector<Stream> streams_;
  /// For each task, how many of those that it waits for have not finished.
  std::vector<std::uint32_t> waiting_for_;
  std::vector<graph::TaskId> ready_;
};

/// One run with an engine of its own.
Timeline simulate(const graph::TaskGraph& graph, const Options& options = {});

}  // namespace tradewind::engine
