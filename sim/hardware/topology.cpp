#include "sim/hardware/topology.h"

#include <algorithm>
#include <cassert>

namespace tradewind::hardware {

Topology::Topology(const Cluster& cluster)
    : nodes_(cluster.nodes),
      devices_per_node_(cluster.node.devices),
      fabric_(cluster.node.fabric),
      nics_per_node_(
          cluster.network ? std::min(cluster.network->nics_per_node, cluster.node.devices) : 0),
      link_latency_s_(cluster.node.link_latency_s),
      network_latency_s_(cluster.network ? cluster.network->latency_s : 0) {
  for (int node = 0; node < nodes_; ++node) {
    add_fabric(cluster, node);
    if (node == 0) fabric_links_per_node_ = static_cast<int>(links_.size());
    add_nics(cluster, node);
    if (node == 0) links_per_node_ = static_cast<int>(links_.size());
  }
}

void Topology::add_fabric(const Cluster& cluster, int node) {
  const int first = node * devices_per_node_;
  const int end = first + devices_per_node_;
  const double capacity = cluster.node.link_bandwidth_bytes_per_s;
  for (int from = first; from < end; ++from) {
    if (fabric_ == Fabric::star) {
      links_.push_back({from, Link::kSwitch, capacity, LinkKind::port_out});
      links_.push_back({Link::kSwitch, from, capacity, LinkKind::port_in});
      continue;
    }
    for (int to = first; to < end; ++to)
      if (to != from) links_.push_back({from, to, capacity, LinkKind::mesh});
  }
}

void Topology::add_nics(const Cluster& cluster, int node) {
  if (nics_per_node_ == 0) return;
  const int first = node * devices_per_node_;
  const double capacity = cluster.network->bandwidth_per_node_bytes_per_s / nics_per_node_;
  // NIC n serves the devices d with d * nics / devices == n: the first is the ceiling below.
  const auto first_device = [&](int nic) {
    return first + (nic * devices_per_node_ + nics_per_node_ - 1) / nics_per_node_;
  };
  for (int nic = 0; nic < nics_per_node_; ++nic)
    links_.push_back({first_device(nic), Link::kSwitch, capacity, LinkKind::nic_out});
  for (int nic = 0; nic < nics_per_node_; ++nic)
    links_.push_back({Link::kSwitch, first_device(nic), capacity, LinkKind::nic_in});
}

int Topology::nic_of(int device) const {
  return device % devices_per_node_ * nics_per_node_ / devices_per_node_;
}

Route Topology::route(int from, int to) const {
  assert(from >= 0 && from < devices() && to >= 0 && to < devices());
  if (from == to) return {};
  const int from_base = node_of(from) * links_per_node_;
  const int to_base = node_of(to) * links_per_node_;
  if (from_base != to_base) {
    const int out = from_base + fabric_links_per_node_ + nic_of(from);
    const int in = to_base + fabric_links_per_node_ + nics_per_node_ + nic_of(to);
    return {{out, in}, 2, network_latency_s_};
  }
  const int i = from % devices_per_node_;
  const int j = to % devices_per_node_;
  if (fabric_ == Fabric::star) {
    return {{from_base + 2 * i, from_base + 2 * j + 1}, 2, link_latency_s_};
  }
  const int peer = j < i ? j : j - 1;  // a device has no link to itself
  return {{from_base + i * (devices_per_node_ - 1) + peer, 0}, 1, link_latency_s_};
}

std::vector<int> Topology::group_links(std::span<const int> group) const {
  std::vector<int> members(group.begin(), group.end());
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  std::vector<int> ids;
  const auto add = [&](const Route& route) {
    ids.insert(ids.end(), route.links().begin(), route.links().end());
  };
  for (const int from : members) {
    for (const int to : members)
      if (node_of(from) == node_of(to)) add(route(from, to));
    // Any member elsewhere will do: the way out of a node doesn't depend on where it leads.
    const int away = node_of(members.front()) != node_of(from) ? members.front() : members.back();
    if (node_of(away) != node_of(from)) {
      ids.push_back(route(from, away).ids[0]);
      ids.push_back(route(away, from).ids[1]);
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace tradewind::hardware
