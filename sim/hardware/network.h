#pragma once

#include <string>

#include "sim/hardware/figure.h"
#include "sim/json/reader.h"

namespace tradewind::hardware {

/// What connects nodes.
struct Network {
  std::string name;
  std::string title;
  double bandwidth_per_node_bytes_per_s = 0;  ///< one direction, all NICs of a node
  int nics_per_node = 1;
  double latency_s = 0;
  Figures figures;
};

/// Reads a profile of hardware/networks. Throws InputError on anything unknown, missing or out of
/// range.
Network read_network(const json::Node& profile);

}  // namespace tradewind::hardware
