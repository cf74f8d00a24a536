#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sim/hardware/figure.h"
#include "sim/json/reader.h"

namespace tradewind::hardware {

/// How leaf switches stand: both give a leaf's nodes the whole of their NICs among themselves.
enum class NetworkTopology : unsigned char {
  fat_tree,        ///< a leaf holds all NICs of its nodes
  rail_optimised,  ///< the n-th NIC of each node is on the n-th leaf: it reaches as many nodes as a
                   ///< leaf has ports down, for traffic between like-numbered devices
};
inline constexpr std::array<std::string_view, 2> kNetworkTopologyNames = {"fat-tree",
                                                                          "rail-optimised"};

/// What connects nodes.
struct Network {
  std::string name;
  std::string title;
  double bandwidth_per_node_bytes_per_s = 0;  ///< one direction, all NICs of a node
  int nics_per_node = 1;
  double latency_s = 0;
  NetworkTopology topology = NetworkTopology::fat_tree;
  int nodes_per_leaf = 0;       ///< behind one leaf switch, or one set of rails; 0: all of them
  double oversubscription = 1;  ///< of a leaf: bandwidth to its nodes over that to the spine
  Figures figures;
};

/// The share of its NICs' bandwidth that each node gets when all nodes send at once and `crossing`
/// of the traffic leaves its leaf: 1 / (crossing x oversubscription), at most 1.
double uplink_share(const Network& network, double crossing);

/// The part of messages between nodes `distance` apart that leaves a leaf, nodes numbered leaf by
/// leaf: distance / nodes_per_leaf, at most 1.
double crossing_share(const Network& network, double distance);

/// Reads a profile of hardware/networks. Throws InputError on anything unknown, missing or out of
/// range.
Network read_network(const json::Node& profile);

}  // namespace tradewind::hardware
