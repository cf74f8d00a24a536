#include "sim/lowering/schedule/step_graph.h"

#include <algorithm>
#include <array>

#include "sim/graph/task_graph_builder.h"

namespace tradewind::lowering {
namespace {

using graph::kNoTask;
using graph::TaskId;

/// Where the micro-batches of a chunk are, so that neighbours can wait for them.
struct Ends {
  TaskId forward = kNoTask, backward = kNoTask;              ///< last task of the pass
  TaskId forward_begin = kNoTask, backward_begin = kNoTask;  ///< first task of the pass
  int device = 0;                                            ///< where the chunk is
};

struct Device {
  graph::StreamId compute, down, up, data_parallel;
  graph::ResourceId units, links;
  TaskId last_reduce = kNoTask;
};

class Builder {
 public:
  Builder(const std::vector<StageProgram>& programs, const StepWork& work,
          const Unfolding& unfolding)
      : programs_(programs), work_(work), unfolding_(unfolding) {
    for (const StageProgram& program : programs) {
      for (const StageOp& op : program) {
        micro_batches_ = std::max(micro_batches_, op.micro_batch + 1);
      }
    }
    ends_.resize(static_cast<std::size_t>(micro_batches_) * work.chunks.size());
    for (std::size_t d = 0; d < programs.size(); ++d) {
      for (const StageOp& op : programs[d])
        ends(op.micro_batch, op.chunk).device = static_cast<int>(d);
    }
  }

  StepGraph build() {
    reserve();
    for (replica_ = 0; replica_ < unfolding_.replicas; ++replica_) {
      devices_.clear();
      collectives_.emplace_back();
      for (std::size_t d = 0; d < programs_.size(); ++d) {
        devices_.push_back({builder_.add_stream(), builder_.add_stream(), builder_.add_stream(),
                            builder_.add_stream(), builder_.add_resource(1),
                            builder_.add_resource(1)});
      }
      for (std::size_t d = 0; d < programs_.size(); ++d) add_program(static_cast<int>(d));
      add_chain();
      add_optimizer();
    }
    join_replicas();
    step_.graph = std::move(builder_).build();
    return std::move(step_);
  }

 private:
  static bool holds(Moves moves, bool at_the_end) {
    return moves == Moves::each || (moves == Moves::once && at_the_end);
  }
  Device& device(int index) { return devices_[static_cast<std::size_t>(index)]; }
  Ends& ends(int micro_batch, int chunk) {
    return ends_[static_cast<std::size_t>(micro_batch) * work_.chunks.size() +
                 static_cast<std::size_t>(chunk)];
  }
  void depend(TaskId before, TaskId after) {
    if (before != kNoTask) builder_.add_dependency(before, after);
  }

  /// As many as there are without data-parallel traffic inside operations: a task and a message
  /// each, and what both wait for.
  void reserve() {
    std::size_t ops = 0;
    for (const StageProgram& program : programs_) ops += program.size();
    ops *= static_cast<std::size_t>(unfolding_.replicas);
    const std::size_t tasks = 2 * ops + 8 * programs_.size();
    builder_.reserve(tasks, work_.overlaps && work_.compute_units_held > 0 ? 2 * tasks : 0,
                     2 * tasks);
    step_.tasks.reserve(tasks);
  }

  /// Only beside data-parallel collectives does a computation share its compute units, a message
  /// the network.
  TaskId add(StepTask kind, const StageOp& op, int on, graph::StreamId stream, Time time,
             bool sends_beside_data = false) {
    graph::TaskSpec spec;
    spec.stream = stream;
    const bool shares = work_.compute_units_held > 0 && work_.overlaps;
    const bool moves = kind == StepTask::gather || kind == StepTask::reduce;
    std::array<graph::Demand, 2> demands;
    if (shares && (kind == StepTask::compute || moves || sends_beside_data)) {
      constexpr double kBeforeComputation = 1000;
      const double units = kind == StepTask::send ? 0 : moves ? work_.compute_units_held : 1;
      demands[0] = {device(on).units, time.seconds() * units};
      demands[1] = {device(on).links, kind == StepTask::compute ? 0 : time.seconds()};
      spec.demands = demands;
      spec.weight = kind == StepTask::compute ? 1 : kBeforeComputation;
    } else {
      spec.latency = time;
    }
    const TaskId task = builder_.add_task(spec);
    step_.tasks.push_back({kind, op, replica_ * static_cast<int>(programs_.size()) + on});
    return task;
  }

  /// A collective of the data-parallel group after `before` (none: after what its stream had), on
  /// every replica.
  TaskId add_collective(StepTask kind, const StageOp& op, int on, graph::StreamId stream, Time time,
                        TaskId before) {
    const TaskId task = add(kind, op, on, stream, time);
    depend(before, task);
    collectives_.back().push_back({task, before});
    return task;
  }

  /// It starts when the last replica has come to it.
  void join_replicas() {
    for (std::size_t r = 0; r < collectives_.size(); ++r) {
      for (std::size_t other = 0; other < collectives_.size(); ++other) {
        for (std::size_t i = 0; r != other && i < collectives_[r].size(); ++i) {
          depend(collectives_[other][i].before, collectives_[r][i].task);
        }
      }
    }
  }

  /// The pieces of one operation; gathers run one piece ahead of the computation.
  struct Added {
    TaskId first = kNoTask, last = kNoTask;
  };
  Added add_pieces(const StageOp& op, int on, const Pieces& pieces, bool gathers, bool reduces) {
    Device& place = device(on);
    if (!gathers && !reduces && !unfolding_.layers) {
      Time whole;
      for (const Piece& piece : pieces) whole += piece.compute;
      const TaskId task = add(StepTask::compute, op, on, place.compute, whole);
      return {task, task};
    }
    const auto stream = work_.overlaps ? place.data_parallel : place.compute;
    Added added;
    std::vector<TaskId> done;
    TaskId gathered = kNoTask;
    const auto gather = [&](std::size_t i) {
      gathered = kNoTask;
      if (!gathers || pieces[i].gather.ps == 0) return;
      const TaskId before = work_.overlaps && i >= 2 ? done[i - 2] : kNoTask;
      gathered = add_collective(StepTask::gather, op, on, stream, pieces[i].gather, before);
    };
    gather(0);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const TaskId parameters = gathered;
      const TaskId task = add(StepTask::compute, op, on, place.compute, pieces[i].compute);
      if (parameters != kNoTask && work_.overlaps) depend(parameters, task);
      done.push_back(task);
      if (i == 0) added.first = task;
      added.last = task;
      if (i + 1 < pieces.size()) gather(i + 1);
      if (!reduces || pieces[i].reduce.ps == 0) continue;
      place.last_reduce = add_collective(StepTask::reduce, op, on, stream, pieces[i].reduce, task);
    }
    return added;
  }

  const Pieces& pieces_of(const StageOp& op) const {
    const ChunkWork& chunk = work_.chunks[static_cast<std::size_t>(op.chunk)];
    switch (op.kind) {
      case StageOpKind::forward:
        return chunk.forward;
      case StageOpKind::backward:
        return chunk.backward;
      case StageOpKind::backward_input:
        return chunk.backward_input;
      default:
        return chunk.backward_weight;
    }
  }

  void add_program(int on) {
    const StageProgram& program = programs_[static_cast<std::size_t>(on)];
    std::vector<std::size_t> first_forward(work_.chunks.size(), program.size());
    std::vector<std::size_t> last_weights(work_.chunks.size(), program.size());
    for (std::size_t i = 0; i < program.size(); ++i) {
      const std::size_t chunk = static_cast<std::size_t>(program[i].chunk);
      const StageOpKind kind = program[i].kind;
      if (kind == StageOpKind::forward && first_forward[chunk] == program.size()) {
        first_forward[chunk] = i;
      }
      if (kind == StageOpKind::backward || kind == StageOpKind::backward_weight) {
        last_weights[chunk] = i;
      }
    }
    for (std::size_t i = 0; i < program.size(); ++i) {
      const StageOp& op = program[i];
      const std::size_t chunk = static_cast<std::size_t>(op.chunk);
      const bool forward = op.kind == StageOpKind::forward;
      const bool weights =
          op.kind == StageOpKind::backward || op.kind == StageOpKind::backward_weight;
      const bool gathers = holds(forward ? work_.gathers_forward : work_.gathers_backward,
                                 forward && first_forward[chunk] == i);
      const bool reduces = weights && holds(work_.reduces, last_weights[chunk] == i);
      const Added added = add_pieces(op, on, pieces_of(op), gathers, reduces);
      remember(op, added);
      if (i > 0 && program[i - 1].with_next) join(program[i - 1], op);
      if (work_.sends == Sends::beside || starts_batch(op)) continue;
      if (i > 0 && starts_batch(program[i - 1])) {
        send_batch(program[i - 1], op, on);
      } else {
        send(op, on, device(on).compute);
      }
    }
  }

  /// Its message waits for the operation after it.
  bool starts_batch(const StageOp& op) const {
    return work_.sends == Sends::batched && op.starts_turn;
  }

  void remember(const StageOp& op, const Added& added) {
    Ends& here = ends(op.micro_batch, op.chunk);
    if (op.kind == StageOpKind::forward) {
      here.forward_begin = added.first, here.forward = added.last;
    } else if (op.kind != StageOpKind::backward_weight) {
      here.backward_begin = added.first, here.backward = added.last;
    }
  }

  /// A forward pass and the backward pass after it, as one.
  void join(const StageOp& forward, const StageOp& backward) {
    Ends& first = ends(forward.micro_batch, forward.chunk);
    Ends& second = ends(backward.micro_batch, backward.chunk);
    first.forward = second.backward;
    second.backward_begin = first.forward_begin;
  }

  bool is_far(int from, int to) const {
    const std::vector<int>& node = work_.handover.node_of;
    return node[static_cast<std::size_t>(from)] != node[static_cast<std::size_t>(to)];
  }
  Time way(int from, int to) const {
    if (from == to) return {};
    return is_far(from, to) ? work_.handover.far : work_.handover.near;
  }

  /// Where the result of an operation on `on` goes; `on` itself if it stays there.
  int target(const StageOp& op, int on) {
    const bool forward = op.kind == StageOpKind::forward;
    const int last = static_cast<int>(work_.chunks.size()) - 1;
    if (op.kind == StageOpKind::backward_weight || op.chunk == (forward ? last : 0)) return on;
    return ends(op.micro_batch, op.chunk + (forward ? 1 : -1)).device;
  }
  TaskId& end_of(const StageOp& op) {
    Ends& here = ends(op.micro_batch, op.chunk);
    return op.kind == StageOpKind::forward ? here.forward : here.backward;
  }

  /// Replaces an operation's end by the arrival of what it sends, if it sends anything.
  void send(const StageOp& op, int on, graph::StreamId stream) {
    const int to = target(op, on);
    const Time time = way(on, to);
    if (time.ps == 0) return;
    const bool beside_data = work_.handover.shares_network && is_far(on, to);
    const TaskId task = add(StepTask::send, op, on, stream, time, beside_data);
    depend(end_of(op), task);
    end_of(op) = task;
  }

  /// The messages of a turn, both directions at once, on the compute stream.
  void send_batch(const StageOp& forward, const StageOp& backward, int on) {
    const int down = target(forward, on), up = target(backward, on);
    const Time time = std::max(way(on, down), way(on, up));
    if (time.ps == 0) return;
    const bool beside_data = work_.handover.shares_network && (is_far(on, down) || is_far(on, up));
    const TaskId task = add(StepTask::send, backward, on, device(on).compute, time, beside_data);
    for (const StageOp& op : {forward, backward}) {
      if (way(on, target(op, on)).ps > 0) end_of(op) = task;
    }
  }

  /// A turn starts when what its pass back takes is there too: it comes in the batch before.
  void join_turns(const StageProgram& program) {
    for (std::size_t i = 0; i + 1 < program.size(); ++i) {
      if (!starts_batch(program[i])) continue;
      const StageOp &forward = program[i], &backward = program[i + 1];
      if (backward.chunk + 1 == static_cast<int>(work_.chunks.size())) continue;
      depend(ends(backward.micro_batch, backward.chunk + 1).backward,
             ends(forward.micro_batch, forward.chunk).forward_begin);
    }
  }

  /// Each pass waits for the same pass of its neighbour in the chain.
  void add_chain() {
    const int chunks = static_cast<int>(work_.chunks.size());
    for (std::size_t d = 0; d < programs_.size(); ++d) {
      if (work_.sends != Sends::beside) {
        join_turns(programs_[d]);
        continue;
      }
      for (const StageOp& op : programs_[d]) {
        const bool forward = op.kind == StageOpKind::forward;
        send(op, static_cast<int>(d), forward ? devices_[d].down : devices_[d].up);
      }
    }
    for (int i = 0; i < micro_batches_; ++i) {
      for (int c = 0; c < chunks; ++c) {
        const Ends& here = ends(i, c);
        if (c > 0) depend(ends(i, c - 1).forward, here.forward_begin);
        if (c + 1 < chunks) depend(ends(i, c + 1).backward, here.backward_begin);
      }
    }
  }

  void add_optimizer() {
    if (work_.optimizer.empty()) return;
    std::vector<TaskId> through;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      const int on = static_cast<int>(d);
      add_plain(StepTask::reduce, on, work_.final_reduce[d]);
      const TaskId task = add_plain(StepTask::agreement, on, work_.agreement);
      depend(devices_[d].last_reduce, task);
      through.push_back(task);
    }
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      const int on = static_cast<int>(d);
      const TaskId task = add_plain(StepTask::optimizer, on, work_.optimizer[d]);
      for (std::size_t other = 0; other < through.size() && !work_.stages_end_alone; ++other) {
        if (other != d) depend(through[other], task);
      }
      add_plain(StepTask::gather, on, work_.final_gather[d]);
    }
  }

  /// On the compute stream, beside nothing.
  TaskId add_plain(StepTask kind, int on, Time time) {
    graph::TaskSpec spec;
    spec.stream = device(on).compute;
    spec.latency = time;
    const TaskId task = builder_.add_task(spec);
    step_.tasks.push_back({kind, {}, replica_ * static_cast<int>(programs_.size()) + on});
    return task;
  }

  struct Collective {
    TaskId task, before;
  };

  const std::vector<StageProgram>& programs_;
  const StepWork& work_;
  const Unfolding unfolding_;
  int micro_batches_ = 0;
  int replica_ = 0;                                   ///< the one that is being added
  std::vector<std::vector<Collective>> collectives_;  ///< by replica, in order of issue
  graph::TaskGraphBuilder builder_;
  std::vector<Device> devices_;
  std::vector<Ends> ends_;
  StepGraph step_;
};

}  // namespace

StepGraph build_step_graph(const std::vector<StageProgram>& programs, const StepWork& work,
                           const Unfolding& unfolding) {
  return Builder(programs, work, unfolding).build();
}

}  // namespace tradewind::lowering
