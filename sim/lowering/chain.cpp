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

ChainTime chain_of(const Kernel& kernel, const LaunchCost& launch, bool communication) {
  const bool counts = communication || !is_communication(kernel.kind);
  return ChainTime::of(launch.per_kernel, counts ? launch.gap + kernel.duration() : Time{});
}

}  // namespace tradewind::lowering
