#include "sim/workload/stage_time.h"

#include <algorithm>

namespace tradewind::workload {

using lowering::ChainTime;
using lowering::Kernel;
using lowering::PassKernels;
using lowering::Region;
using lowering::Segment;
using lowering::StageLayout;
using lowering::Step;

namespace {

const std::shared_ptr<const Region>& region_of(const Step& step) {
  return std::get<std::shared_ptr<const Region>>(step);
}

bool has_region(const Segment& segment) {
  return std::any_of(segment.begin(), segment.end(),
                     [](const Step& step) { return !lowering::kernel_of(step); });
}

/// Transfers on all lanes at once.
Time speed_of_light(const Region& region) {
  Time compute, transfer;
  for (const lowering::RegionKernel& part : kernels_of(region)) {
    const bool transfers = part.kernel == &region.transfer;
    (transfers ? transfer : compute) += part.kernel->speed_of_light() * part.count;
  }
  return std::max(compute, Time{transfer.ps / region.shape.lanes});
}

}  // namespace

Time speed_of_light(const Segment& segment) {
  Time time;
  for (const Step& step : segment) {
    const Kernel* kernel = lowering::kernel_of(step);
    time += kernel ? kernel->speed_of_light() : speed_of_light(*region_of(step));
  }
  return time;
}

ChainTime StageClock::chain_of(const Step& step) const {
  const bool communication = variant_ == Variant::simulated;
  if (const Kernel* kernel = lowering::kernel_of(step)) {
    return lowering::chain_of(*kernel, launch_, communication);
  }
  return ChainTime::of(Time{},
                       regions_.run(region_of(step), launch_, Time{}, communication).device);
}

StageClock::StageClock(const PassKernels& pass, const lowering::LaunchCost& launch, Variant variant,
                       RegionTimes& regions)
    : launch_(launch), variant_(variant), regions_(regions) {
  embedding_ = part_of(pass.embedding);
  take_over_ = part_of(pass.take_over);
  head_ = part_of(pass.head);
  for (std::size_t c = 0; c < layer_.size(); ++c) layer_[c] = part_of(pass.layer[c]);
}

StageClock::Part StageClock::part_of(const Segment& segment) const {
  Part part;
  if (variant_ == Variant::speed_of_light) {
    part.chain = ChainTime::of(Time{}, speed_of_light(segment));
    return part;
  }
  // A region launched kernel by kernel is no max-plus map: how its parts contend depends on when
  // each is launched.
  if (launch_.per_kernel.ps == 0 || !has_region(segment)) {
    for (const Step& step : segment) part.chain = part.chain + chain_of(step);
    return part;
  }
  part.stepped = &segment;
  for (const Step& step : segment) {
    const Kernel* kernel = lowering::kernel_of(step);
    const std::size_t launches = kernel ? 1 : region_of(step)->launches();
    part.all_launched += launch_.per_kernel * static_cast<std::int64_t>(launches);
  }
  return part;
}

StageClock::Clock StageClock::after(Clock clock, const Segment& segment) const {
  for (const Step& step : segment) {
    if (lowering::kernel_of(step)) {
      const ChainTime time = chain_of(step);
      clock.device = std::max(clock.host + time.both, clock.device + time.device);
      clock.host += time.host;
      continue;
    }
    const RegionTime time = regions_.run(region_of(step), launch_, clock.device - clock.host,
                                         variant_ == Variant::simulated);
    clock.device = clock.host + time.device;
    clock.host += time.host;
  }
  return clock;
}

StageClock::Clock StageClock::after(Clock clock, const Part& part, int times) const {
  if (!part.stepped) {
    const ChainTime time = part.chain.repeated(times);
    return {clock.host + time.host, std::max(clock.host + time.both, clock.device + time.device)};
  }
  for (int done = 0; done < times; ++done) {
    const Clock before = clock;
    clock = after(before, *part.stepped);
    const Time lead = before.device - before.host, next = clock.device - clock.host;
    // The same lead again, or one that keeps ahead of all launches: all further layers are alike.
    if (next == lead || (lead >= part.all_launched && next >= lead)) {
      const int left = times - done - 1;
      clock.host += (clock.host - before.host) * left;
      clock.device += (clock.device - before.device) * left;
      break;
    }
  }
  return clock;
}

Time StageClock::stage(const StageLayout& layout) const {
  Clock clock = after({}, layout.first ? embedding_ : take_over_, 1);
  for (const StageLayout::Run& run : layout.runs) {
    clock = after(clock, layer_[run.layer_class], run.layers);
  }
  if (layout.last) clock = after(clock, head_, 1);
  // A later stage's host has launched by the time its input comes.
  const bool waits = layout.first && variant_ != Variant::speed_of_light;
  return clock.device + (waits ? launch_.per_pass : Time{});
}

}  // namespace tradewind::workload
