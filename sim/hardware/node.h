#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sim/hardware/accelerator.h"
#include "sim/hardware/figure.h"
#include "sim/json/reader.h"

namespace tradewind::hardware {

/// How the devices of one node reach each other.
enum class Fabric {
  full_mesh,  ///< one link per pair of devices (xGMI): a group of g has g - 1 links a device
  star,       ///< one port per device into a non-blocking switch (NVSwitch): any group has it all
};
inline constexpr std::array<std::string_view, 2> kFabricNames = {"full_mesh", "star"};
constexpr std::string_view to_string(Fabric fabric) {
  return kFabricNames[static_cast<std::size_t>(fabric)];
}

/// Devices that share a board and a fabric.
struct Node {
  std::string name;
  std::string title;
  Accelerator accelerator;
  int devices = 1;
  Fabric fabric = Fabric::star;
  double link_bandwidth_bytes_per_s = 0;  ///< one direction; mesh: a pair's link, star: the port
  double link_latency_s = 0;
  bool in_switch_reduction = false;            ///< NVLS / SHARP inside the node
  double host_link_bandwidth_bytes_per_s = 0;  ///< one direction, a device to its host
  Figures figures;                             ///< of the node; the accelerator has its own
};

/// Reads a profile of hardware/nodes, all but its accelerator, which the caller has found by the
/// profile's `accelerator` member. Throws InputError on anything unknown, missing or out of range.
Node read_node(const json::Node& profile, Accelerator accelerator);

}  // namespace tradewind::hardware
