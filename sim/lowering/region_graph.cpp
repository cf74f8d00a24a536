#include "sim/lowering/region_graph.h"

#include <algorithm>

namespace tradewind::lowering {

void set_region_demands(std::vector<graph::Demand>& demands, const Region& region,
                        const RegionTask& task, const RankResources& resources,
                        std::span<const HeldLink> links) {
  demands.clear();
  if (task.kernel == nullptr || task.kernel->work.ps == 0) return;
  const bool transfers = task.op == OpKind::send || task.op == OpKind::collective;
  const double alone_s = task.kernel->work.seconds();
  const double seconds = transfers ? alone_s : alone_s / resources.speed;
  if (transfers) {
    for (const HeldLink& link : links) demands.push_back({link.resource, link.capacity * seconds});
    if (!region.copy_engines) demands.push_back({resources.units, region.units_taken * seconds});
  } else {
    demands.push_back({resources.units, seconds});
  }
  const kernels::Cost& cost = task.kernel->cost;
  demands.push_back({resources.hbm, std::min(cost.hbm_bytes, seconds * region.hbm_bytes_per_s)});
  if (region.power_share <= 0) return;
  // A matrix product that is bound by its arithmetic runs at the limit of the device's power.
  if (transfers) demands.push_back({resources.power, region.power_share * seconds});
  if (!transfers && cost.bound == kernels::Bound::compute) {
    demands.push_back({resources.power, seconds});
  }
}

std::vector<Program> programs_of(const Region& region, int ranks) {
  if (ranks == 1) return {region.program};
  std::vector<Program> programs;
  programs.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    programs.push_back(region.strategy->program(region.shape, rank));
  }
  return programs;
}

}  // namespace tradewind::lowering
