#include <algorithm>
#include <deque>
#include <tuple>

#include "sim/lowering/schedule/dry_run.h"
#include "sim/lowering/schedule/schedule.h"

namespace tradewind::lowering {
namespace {

std::string refusal(const ScheduleShape& shape) {
  return refuse_virtual_stages("zb-v", shape, 2);
}

int chunks(const ScheduleShape& shape) {
  return 2 * shape.stages;
}

/// What a device still has to do: its passes in the order of the repeated pattern, and the weight
/// gradients that are ready.
struct Device {
  std::deque<StageOp> passes, weights;
  int held = 0;  ///< chunks whose activations it keeps
};

/// A pattern that repeats every six unit times on each device: two forward and two backward passes,
/// and room for two weight gradients. Chunks follow each other at distance three both ways, so that
/// each device holds 2p chunks: 1F1B's memory.
std::deque<StageOp> pattern(int stages, int device, int micro_batches) {
  constexpr int kPeriod = 6, kDistance = 3;
  const int turn = (stages - 1) * kDistance;
  const int down = device * kDistance, up = (stages - 1 - device) * kDistance;
  std::vector<std::tuple<int, int, StageOp>> timed;
  for (int i = 0; i < micro_batches; ++i) {
    const int last = 2 * stages - 1 - device;
    const auto add = [&](int time, StageOpKind kind, int chunk) {
      timed.emplace_back(kPeriod * i + time, static_cast<int>(timed.size()),
                         StageOp{kind, i, chunk, false});
    };
    add(down, StageOpKind::forward, device);
    add(turn + 1 + up, StageOpKind::forward, last);
    add(2 * turn + 2 + down, StageOpKind::backward_input, last);
    add(3 * turn + 3 + up, StageOpKind::backward_input, device);
  }
  std::sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  std::deque<StageOp> ordered;
  for (const auto& [time, index, op] : timed) ordered.push_back(op);
  return ordered;
}

struct Choice {
  double start;
  StageOp op;
};

/// The next pass in order, unless a weight gradient, or the next micro-batch that enters, fits into
/// the time until then.
std::optional<Choice> choose(const DryRun& run, const Device& device, int index, int limit) {
  const double now = run.free(index);
  std::optional<Choice> choice;
  const auto fits = [&](double duration) { return !choice || choice->start >= now + duration; };
  const auto consider = [&](const StageOp& op, int most_held) {
    if (op.kind == StageOpKind::forward && device.held >= most_held) return;
    const std::optional<double> start = run.start_of(op);
    if (start && (!choice || *start < choice->start)) choice = Choice{*start, op};
  };
  if (!device.passes.empty()) consider(device.passes.front(), limit);
  if (fits(1)) {
    const auto enters =
        std::find_if(device.passes.begin(), device.passes.end(), [index](const StageOp& op) {
          return op.kind == StageOpKind::forward && op.chunk == index;
        });
    // One place is kept for the micro-batch that comes back to the device's second chunk.
    if (enters != device.passes.end()) consider(*enters, limit - 1);
  }
  if (!device.weights.empty() && fits(1)) choice = Choice{now, device.weights.front()};
  return choice;
}

void take(Device& device, const StageOp& op) {
  if (op.kind == StageOpKind::backward_weight) {
    device.weights.pop_front();
    --device.held;
    return;
  }
  device.passes.erase(std::find(device.passes.begin(), device.passes.end(), op));
  if (op.kind == StageOpKind::forward) ++device.held;
  if (op.kind == StageOpKind::backward_input) {
    device.weights.push_back({StageOpKind::backward_weight, op.micro_batch, op.chunk, false});
  }
}

std::vector<StageProgram> programs(const ScheduleShape& shape) {
  ScheduleShape unit = shape;
  unit.times = {};
  std::vector<int> host;
  host.reserve(static_cast<std::size_t>(chunks(shape)));
  for (int c = 0; c < chunks(shape); ++c) host.push_back(std::min(c, chunks(shape) - 1 - c));
  DryRun run(unit, host);
  std::vector<Device> devices;
  devices.reserve(static_cast<std::size_t>(shape.stages));
  for (int d = 0; d < shape.stages; ++d) {
    devices.push_back({pattern(shape.stages, d, shape.micro_batches), {}, 0});
  }
  for (;;) {
    std::optional<Choice> next;
    std::size_t chosen = 0;
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const auto choice = choose(run, devices[d], static_cast<int>(d), 2 * shape.stages);
      if (choice && (!next || choice->start < next->start)) next = choice, chosen = d;
    }
    if (!next) return run.take_programs();
    run.run(next->op);
    take(devices[chosen], next->op);
  }
}

}  // namespace

const Schedule& zb_v() {
  static const Schedule schedule{
      "zb-v",
      "two chunks a stage in a V: no bubble in 1F1B's memory where passes are equal (arXiv "
      "2401.10241, section 6)",
      refusal,
      chunks,
      programs,
      true};
  return schedule;
}

}  // namespace tradewind::lowering
