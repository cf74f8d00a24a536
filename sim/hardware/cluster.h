#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/hardware/figure.h"
#include "sim/hardware/network.h"
#include "sim/hardware/node.h"

namespace tradewind::hardware {

/// Equal nodes on one network: what a scenario runs on.
struct Cluster {
  std::string name;  ///< "h100-8", "4 x h100-8 over ib-ndr"
  Node node;
  int nodes = 1;
  std::optional<Network> network;  ///< always there when nodes > 1
  /// How fast each device computes, 1 = as its profile says; empty: all do. A straggler breaks the
  /// symmetry of ranks, so every rank is then simulated.
  std::vector<double> device_speeds;

  int devices() const { return nodes * node.devices; }
  const Accelerator& accelerator() const { return node.accelerator; }
};

/// Every figure by the path that `override` takes: the node's bare, then `accelerator.` and
/// `network.`.
Figures all_figures(const Cluster& cluster);

}  // namespace tradewind::hardware
