#include "sim/hardware/cluster.h"

namespace tradewind::hardware {

Figures all_figures(const Cluster& cluster) {
  Figures all = cluster.node.figures;
  for (const auto& [path, figure] : cluster.accelerator().figures)
    all.emplace("accelerator." + path, figure);
  if (cluster.network) {
    for (const auto& [path, figure] : cluster.network->figures)
      all.emplace("network." + path, figure);
  }
  return all;
}

}  // namespace tradewind::hardware
