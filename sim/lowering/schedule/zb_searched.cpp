#include <algorithm>
#include <numeric>
#include <tuple>

#include "sim/lowering/schedule/dry_run.h"
#include "sim/lowering/schedule/schedule.h"

namespace tradewind::lowering {
namespace {

/// What one stage has done so far.
struct Progress {
  int forwards = 0, backwards = 0, weights = 0;
};

/// The earliest start first, then backward before forward before weight gradients; a forward pass
/// only while fewer than `limit` micro-batches are held.
using Choice = std::tuple<double, int, StageOp>;

std::optional<Choice> choose(const DryRun& run, const Progress& done, int stage, int count,
                             int limit) {
  std::optional<Choice> best;
  const auto consider = [&](int rank, const StageOp& op) {
    const std::optional<double> start = run.start_of(op);
    if (!start) return;
    if (!best || std::tie(*start, rank) < std::tie(std::get<0>(*best), std::get<1>(*best))) {
      best = Choice{*start, rank, op};
    }
  };
  if (done.backwards < done.forwards) {
    consider(0, {StageOpKind::backward_input, done.backwards, stage, false});
  }
  if (done.forwards < count && done.forwards - done.weights < limit) {
    consider(1, {StageOpKind::forward, done.forwards, stage, false});
  }
  if (done.weights < done.backwards) {
    consider(2, {StageOpKind::backward_weight, done.weights, stage, false});
  }
  return best;
}

std::vector<StageProgram> greedy(const ScheduleShape& shape, const std::vector<int>& host,
                                 int limit) {
  DryRun run(shape, host);
  std::vector<Progress> progress(host.size());
  for (;;) {
    std::optional<Choice> next;
    for (int stage = 0; stage < shape.stages; ++stage) {
      const auto choice =
          choose(run, progress[static_cast<std::size_t>(stage)], stage, shape.micro_batches, limit);
      if (choice && (!next || std::get<0>(*choice) < std::get<0>(*next))) next = choice;
    }
    if (!next) return run.take_programs();
    const StageOp& op = std::get<2>(*next);
    run.run(op);
    Progress& done = progress[static_cast<std::size_t>(op.chunk)];
    if (op.kind == StageOpKind::forward) ++done.forwards;
    if (op.kind == StageOpKind::backward_input) ++done.backwards;
    if (op.kind == StageOpKind::backward_weight) ++done.weights;
  }
}

/// The better of the handcrafted order of that memory and of list scheduling with these times.
std::vector<StageProgram> searched(const ScheduleShape& shape, const Schedule& handcrafted,
                                   int memory) {
  std::vector<int> host(static_cast<std::size_t>(shape.stages));
  std::iota(host.begin(), host.end(), 0);
  std::vector<StageProgram> known = handcrafted.programs(shape);
  std::vector<StageProgram> found = greedy(shape, host, memory * shape.stages);
  return span_of(shape, host, found) < span_of(shape, host, known) ? found : known;
}

}  // namespace

const Schedule& zb_searched(int memory) {
  static const Schedule one{
      "zb-1p",
      "found by search in 1F1B's memory (arXiv 2401.10241, section 3)",
      [](const ScheduleShape& shape) { return refuse_virtual_stages("zb-1p", shape); },
      one_chunk_a_stage,
      [](const ScheduleShape& shape) { return searched(shape, zb_h1(), 1); },
      true};
  static const Schedule two{
      "zb-2p",
      "found by search in twice 1F1B's memory (arXiv 2401.10241, section 3)",
      [](const ScheduleShape& shape) { return refuse_virtual_stages("zb-2p", shape); },
      one_chunk_a_stage,
      [](const ScheduleShape& shape) { return searched(shape, zb_h2(), 2); },
      true};
  return memory == 1 ? one : two;
}

}  // namespace tradewind::lowering
