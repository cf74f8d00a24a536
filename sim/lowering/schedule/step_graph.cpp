#include "sim/lowering/schedule/step_graph.h"

#include <algorithm>

#include "sim/graph/task_graph_builder.h"

namespace tradewind::lowering {
namespace {

using graph::kNoTask;
using graph::TaskId;

/// Where the micro-batches of a chunk are, so that neighbours can wait for them.
struct Ends {
  TaskId forward = kNoTask, backward = kNoTask;              ///< last task of the pass
  TaskId forward_begin = kNoTask, backward_begin = kNoTask;  ///< first task of the pass
};

struct Device {
  graph::StreamId compute, down, up, data_parallel;
  graph::ResourceId units, links;
  TaskId last_reduce = kNoTask;
};

class Builder {
 public:
  Builder(const std::vector<StageProgram>& programs, const StepWork& work)
      : programs_(programs), work_(work) {
    int micro_batches = 0;
    for (const StageProgram& program : programs) {
      for (const StageOp& op : program) micro_batches = std::max(micro_batches, op.micro_batch + 1);
    }
    ends_.resize(static_cast<std::size_t>(micro_batches) * work.chunks.size());
  }

  StepGraph build() {
    for (std::size_t d = 0; d < programs_.size(); ++d) {
      devices_.push_back({builder_.add_stream(), builder_.add_stream(), builder_.add_stream(),
                          builder_.add_stream(), builder_.add_resource(1),
                          builder_.add_resource(1)});
    }
    for (std::size_t d = 0; d < programs_.size(); ++d) add_program(static_cast<int>(d));
    add_chain();
    add_optimizer();
    step_.graph = builder_.build();
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

  TaskId add(StepTask kind, const StageOp& op, int on, graph::StreamId stream, Time time) {
    graph::TaskSpec spec;
    spec.stream = stream;
    // Only beside data-parallel collectives does a computation share its compute units.
    const bool shares = work_.compute_units_held > 0 && work_.overlaps;
    const bool moves = kind == StepTask::gather || kind == StepTask::reduce;
    std::array<graph::Demand, 2> demands;
    if (shares && (kind == StepTask::compute || moves)) {
      constexpr double kBeforeComputation = 1000;
      demands[0] = {device(on).units, time.seconds() * (moves ? work_.compute_units_held : 1)};
      demands[1] = {device(on).links, moves ? time.seconds() : 0};
      spec.demands = demands;
      spec.weight = moves ? kBeforeComputation : 1;
    } else {
      spec.latency = time;
    }
    const TaskId task = builder_.add_task(spec);
    step_.tasks.push_back({kind, op, on});
    return task;
  }

  /// The pieces of one operation; gathers run one piece ahead of the computation.
  struct Added {
    TaskId first = kNoTask, last = kNoTask;
  };
  Added add_pieces(const StageOp& op, int on, const Pieces& pieces, bool gathers, bool reduces) {
    Device& place = device(on);
    const auto stream = work_.overlaps ? place.data_parallel : place.compute;
    Added added;
    std::vector<TaskId> done;
    TaskId gathered = kNoTask;
    const auto gather = [&](std::size_t i) {
      gathered = kNoTask;
      if (!gathers || pieces[i].gather.ps == 0) return;
      gathered = add(StepTask::gather, op, on, stream, pieces[i].gather);
      if (work_.overlaps && i >= 2) depend(done[i - 2], gathered);
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
      const TaskId reduce = add(StepTask::reduce, op, on, stream, pieces[i].reduce);
      if (work_.overlaps) depend(task, reduce);
      place.last_reduce = reduce;
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
      if (work_.blocking_sends) send(op, on, device(on).compute);
    }
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

  /// Replaces an operation's end by the arrival of what it sends, if it sends anything.
  void send(const StageOp& op, int on, graph::StreamId stream) {
    const int chunks = static_cast<int>(work_.chunks.size());
    const ChunkWork& chunk = work_.chunks[static_cast<std::size_t>(op.chunk)];
    const bool forward = op.kind == StageOpKind::forward;
    if (op.kind == StageOpKind::backward_weight) return;
    if (forward ? op.chunk + 1 == chunks : op.chunk == 0) return;
    const Time time = forward ? chunk.send_forward : chunk.send_backward;
    if (time.ps == 0) return;
    TaskId& end =
        forward ? ends(op.micro_batch, op.chunk).forward : ends(op.micro_batch, op.chunk).backward;
    const TaskId task = add(StepTask::send, op, on, stream, time);
    depend(end, task);
    end = task;
  }

  /// Each pass waits for the same pass of its neighbour in the chain.
  void add_chain() {
    const int chunks = static_cast<int>(work_.chunks.size());
    const int micro_batches = static_cast<int>(ends_.size()) / chunks;
    for (std::size_t d = 0; !work_.blocking_sends && d < programs_.size(); ++d) {
      for (const StageOp& op : programs_[d]) {
        const bool forward = op.kind == StageOpKind::forward;
        send(op, static_cast<int>(d), forward ? devices_[d].down : devices_[d].up);
      }
    }
    for (int i = 0; i < micro_batches; ++i) {
      for (int c = 0; c < chunks; ++c) {
        if (c > 0) depend(ends(i, c - 1).forward, ends(i, c).forward_begin);
        if (c + 1 < chunks) depend(ends(i, c + 1).backward, ends(i, c).backward_begin);
      }
    }
  }

  void add_optimizer() {
    if (work_.optimizer.empty()) return;
    std::vector<TaskId> through;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      const TaskId task =
          add(StepTask::agreement, {}, static_cast<int>(d), devices_[d].compute, work_.agreement);
      depend(devices_[d].last_reduce, task);
      through.push_back(task);
    }
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      const TaskId task = add(StepTask::optimizer, {}, static_cast<int>(d), devices_[d].compute,
                              work_.optimizer[d]);
      for (std::size_t other = 0; other < through.size() && !work_.stages_end_alone; ++other) {
        if (other != d) depend(through[other], task);
      }
    }
  }

  const std::vector<StageProgram>& programs_;
  const StepWork& work_;
  graph::TaskGraphBuilder builder_;
  std::vector<Device> devices_;
  std::vector<Ends> ends_;
  StepGraph step_;
};

}  // namespace

StepGraph build_step_graph(const std::vector<StageProgram>& programs, const StepWork& work) {
  return Builder(programs, work).build();
}

}  // namespace tradewind::lowering
