#include "sim/engine/engine.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tradewind::engine {
namespace {

/// Half the range of `Time` (53 days): a delay on top of a moment before it cannot overflow.
constexpr Time kHorizon{std::int64_t{1} << 62};

/// `ps` is not negative, so that cutting off its fraction rounds down, without a library call.
Time nearest(double ps) {
  constexpr auto kLimit = static_cast<double>(kHorizon.ps);
  const double above = ps + 0.5;
  return above < kLimit ? Time{static_cast<std::int64_t>(above)} : kHorizon;
}

}  // namespace

Timeline simulate(const graph::TaskGraph& graph, const Options& options) {
  return Engine().simulate(graph, options);
}

Timeline Engine::simulate(const graph::TaskGraph& graph, const Options& options) {
  prepare(graph, options);
  start_ready();
  apply_speeds();
  while (!queue_.empty()) {
    now_ = queue_.next_time();
    if (now_ >= kHorizon) throw std::overflow_error("the simulated time passes 53 days");
    do {
      process_event(queue_.next_stream());
    } while (queue_.next_time() == now_);
    start_ready();
    apply_speeds();
  }
  timeline_.makespan = now_;
  return std::exchange(timeline_, {});
}

void Engine::prepare(const graph::TaskGraph& graph, const Options& options) {
  if (!options.zeroed.empty() && options.zeroed.size() != graph.task_count()) {
    throw std::invalid_argument("`zeroed` needs one entry a task");
  }
  graph_ = &graph;
  zeroed_ = options.zeroed;
  now_ = Time{};
  timeline_.start.resize(graph.task_count());
  timeline_.finish.resize(graph.task_count());
  queue_.reset(graph.stream_count());
  fair_share_.reset(graph);
  streams_.resize(graph.stream_count());
  const auto counts = graph.predecessor_counts();
  waiting_for_.assign(counts.begin(), counts.end());
  for (graph::TaskId task = 0; task < counts.size(); ++task) {
    if (counts[task] == 0) ready_.push_back(task);
  }
}

void Engine::start_ready() {
  while (!ready_.empty()) {
    const graph::TaskId task = ready_.back();
    ready_.pop_back();
    start(task);
  }
}

void Engine::start(graph::TaskId task) {
  timeline_.start[task] = now_;
  // The turn of the next task of the stream will come, and by then it should be in the cache. (GCC
  // drops the call of a function that does nothing but prefetch: hence no function for this.)
  const graph::TaskId next = graph_->next_in_stream(task);
  if (next != graph::kNoTask) {
    graph_->prefetch(next);
    __builtin_prefetch(&waiting_for_[next]);
    __builtin_prefetch(&timeline_.start[next]);
    __builtin_prefetch(&timeline_.finish[next]);
  }
  const bool takes_no_time = !zeroed_.empty() && zeroed_[task] != 0;
  const Time latency = graph_->latency(task);
  if (takes_no_time) {
    finish(task);
  } else if (latency.ps > 0) {
    const graph::StreamId stream = graph_->stream(task);
    streams_[stream].task = task;
    streams_[stream].at_work = false;
    queue_.set(stream, now_ + std::min(latency, kHorizon));
  } else {
    begin_work(task);
  }
}

void Engine::begin_work(graph::TaskId task) {
  const Time work = graph_->work(task);
  if (work.ps == 0) {
    finish(task);
    return;
  }
  streams_[graph_->stream(task)] = {.task = task,
                                    .at_work = true,
                                    .work_left_ps = static_cast<double>(work.ps),
                                    .speed = 0,
                                    .since = now_};
  fair_share_.enter(task);
  const graph::TaskId next = graph_->next_in_stream(task);
  if (next != graph::kNoTask) {
    __builtin_prefetch(graph_->demands(next).data());
    __builtin_prefetch(graph_->successors(next).data());
  }
}

void Engine::process_event(graph::StreamId stream) {
  ++timeline_.events;
  queue_.set(stream, EventQueue::kNever);
  const Stream& running = streams_[stream];
  if (running.at_work) {
    fair_share_.leave(stream);
    finish(running.task);
  } else {
    begin_work(running.task);
  }
}

void Engine::finish(graph::TaskId task) {
  timeline_.finish[task] = now_;
  for (const graph::TaskId successor : graph_->successors(task)) release(successor);
  const graph::TaskId next = graph_->next_in_stream(task);
  if (next != graph::kNoTask) release(next);
}

void Engine::release(graph::TaskId task) {
  if (--waiting_for_[task] == 0) ready_.push_back(task);
}

void Engine::apply_speeds() {
  for (const FairShare::SpeedChange& change : fair_share_.solve()) {
    Stream& running = streams_[change.stream];
    const auto elapsed_ps = static_cast<double>((now_ - running.since).ps);
    running.work_left_ps = std::max(0.0, running.work_left_ps - running.speed * elapsed_ps);
    running.speed = change.speed;
    running.since = now_;
    queue_.set(change.stream, now_ + nearest(running.work_left_ps / running.speed));
  }
}

}  // namespace tradewind::engine
