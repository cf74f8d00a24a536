#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sim/hardware/cluster.h"

namespace tradewind::hardware {

/// What a directed link is. Traffic between nodes passes NICs only: the path from a device to its
/// NIC is as fast as the NIC and not shared.
enum class LinkKind {
  mesh,      ///< device to device, full mesh
  port_out,  ///< device to switch, star
  port_in,   ///< switch to device, star
  nic_out,   ///< node to network
  nic_in,    ///< network to node
};

/// One direction of a wire. `from` and `to` are devices of the cluster, kSwitch the other side of a
/// port or a NIC; a NIC that several devices share stands under the first of them.
struct Link {
  static constexpr int kSwitch = -1;
  int from = kSwitch;
  int to = kSwitch;
  double capacity_bytes_per_s = 0;
  LinkKind kind = LinkKind::mesh;
};

/// The links that one transfer holds at once, as indices into Topology::links().
struct Route {
  std::array<int, 2> ids{};
  std::size_t size = 0;
  double latency_s = 0;

  std::span<const int> links() const& { return {ids.data(), size}; }
  std::span<const int> links() && = delete;  ///< would outlive the route it looks into
};

/// The graph of a cluster: devices 0 .. devices() - 1, node by node, and the directed links between
/// them. A full mesh has one link per ordered pair of devices of a node, a star one out and one in
/// port per device. Each node has as many out and in NICs as it has NICs, devices sharing them
/// evenly where there are fewer NICs than devices; where there are more, a device's NICs are one
/// link of their sum.
class Topology {
 public:
  explicit Topology(const Cluster& cluster);

  int devices() const { return nodes_ * devices_per_node_; }
  std::span<const Link> links() const { return links_; }
  int node_of(int device) const { return device / devices_per_node_; }

  /// The way from one device to another; empty when they are the same one. REQUIRES: both lie in
  /// 0 .. devices() - 1.
  Route route(int from, int to) const;

  /// Every link that traffic between members of `group` can use, each once, in ascending order: on
  /// a mesh the links of its own pairs only, on a star the full ports of its members.
  std::vector<int> group_links(std::span<const int> group) const;

 private:
  void add_fabric(const Cluster& cluster, int node);
  void add_nics(const Cluster& cluster, int node);
  int nic_of(int device) const;

  int nodes_;
  int devices_per_node_;
  Fabric fabric_;
  int nics_per_node_;       ///< links of one direction; 0 without a network
  int links_per_node_ = 0;  ///< of the fabric and the NICs together
  int fabric_links_per_node_ = 0;
  double link_latency_s_;
  double network_latency_s_;
  std::vector<Link> links_;  ///< node by node: fabric, NICs out, NICs in
};

}  // namespace tradewind::hardware
