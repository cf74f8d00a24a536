#pragma once

#include <map>
#include <string>

#include "sim/hardware/accelerator.h"

namespace tradewind::hardware {

/// How the devices of one node reach each other.
enum class Fabric {
  full_mesh,  ///< one link per pair of devices (xGMI): a group of g has g - 1 links a device
  star,       ///< one port per device into a non-blocking switch (NVSwitch): any group has it all
};

struct Node {
  std::string name;
  Accelerator accelerator;
  int devices = 1;
  Fabric fabric = Fabric::star;
  double link_bandwidth_bytes_per_s = 0;  ///< one direction; mesh: a pair's link, star: the port
  double link_latency_s = 0;
  bool in_switch_reduction = false;       ///< NVLS / SHARP inside the node
  std::map<std::string, Figure> figures;
};

/// What connects nodes.
struct Network {
  std::string name;
  double bandwidth_per_node_bytes_per_s = 0;  ///< one direction, all NICs of a node
  int nics_per_node = 1;
  double latency_s = 0;
  std::map<std::string, Figure> figures;
};

}  // namespace tradewind::hardware
