#include "sim/lowering/chain.h"

namespace tradewind::lowering {

ChainTime ChainTime::repeated(int count) const {
  // In max-plus algebra the n-th power of this triangular map is closed: the cross term is either
  // all later layers device-bound or all earlier ones host-bound.
  if (count <= 0) return {};
  return {host * count, device * count, both + std::max(host, device) * (count - 1)};
}

LaunchCost launch_cost(const scenario::Runtime& runtime, Phase phase) {
  const bool eager = phase == Phase::prefill ? runtime.eager_prefill : runtime.eager_decode;
  if (eager) return {Time{}, Time::from_seconds(runtime.kernel_launch_s), Time{}};
  return {Time::from_seconds(runtime.graph_launch_s), Time{},
          Time::from_seconds(runtime.graph_kernel_gap_s)};
}

ChainTime chain(const Segment& segment, const LaunchCost& launch, bool communication) {
  ChainTime total;
  for (const Kernel& kernel : segment) {
    const bool counts = communication || !is_communication(kernel.kind);
    const Time device = counts ? launch.gap + kernel.duration() : Time{};
    total = total + ChainTime::of(launch.per_kernel, device);
  }
  return total;
}

Time stage_duration(const PassKernels& pass, const StageLayout& stage, const LaunchCost& launch,
                    bool communication) {
  ChainTime total = chain(stage.first ? pass.embedding : pass.take_over, launch, communication);
  for (const StageLayout::Run& run : stage.runs) {
    const Segment& layer = pass.layer[run.windowed ? 1 : 0];
    total = total + chain(layer, launch, communication).repeated(run.layers);
  }
  if (stage.last) total = total + chain(pass.head, launch, communication);
  return launch.per_pass + total.duration();
}

}  // namespace tradewind::lowering
