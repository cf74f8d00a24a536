#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "sim/kernels/operation.h"

namespace tradewind::kernels {

/// Ways to move the bytes. Symbols: n devices over N nodes, g = n / N a node; S message bytes as in
/// CollectiveShape; h steps of a ring, 2 (n-1) for all_reduce, n-1 for the others (all_to_all: one
/// a peer); x = h / n S bytes that leave a device, (n-1) / n S for all_to_all; w = x + own_copy
/// S / n; e an efficiency; B what the group's links carry out of one device (Group::bandwidth).
enum class CollectiveAlgorithm {
  none,
  low_latency,   ///< ring, each word with a flag (NCCL LL): at most half the wire is data
  bulk,          ///< ring over all links, synchronised by the slice (NCCL Simple)
  in_switch,     ///< the switch reduces and multicasts (NVLS)
  one_shot,      ///< every device reads all of every peer
  two_shot,      ///< reduce-scatter, then all-gather, directly between all pairs
  hierarchical,  ///< inside the node, across the network, inside the node, pipelined
};
inline constexpr std::array<std::string_view, 7> kCollectiveAlgorithmNames = {
    "none", "low_latency", "bulk", "in_switch", "one_shot", "two_shot", "hierarchical"};
constexpr std::string_view to_string(CollectiveAlgorithm algorithm) {
  return kCollectiveAlgorithmNames[static_cast<std::size_t>(algorithm)];
}

/// What collective_parameters() describes, in its order.
struct CollectiveCoefficients {
  double low_latency_base_s, low_latency_hop_s, channel_skew_s, low_latency_efficiency;
  double bulk_base_s, bulk_hop_s, bulk_fill_s, bulk_efficiency, own_copy_share;
  double network_base_s, network_skew_s, network_fill_bytes, network_efficiency;
  double compute_units;
  double in_switch_base_s = 0, in_switch_fill_s = 0, in_switch_efficiency = 0;
  double one_shot_base_s = 0, one_shot_peer_s = 0, one_shot_efficiency = 0;
  double two_shot_base_s = 0, two_shot_peer_s = 0, two_shot_efficiency = 0;
};
inline constexpr std::size_t kSharedCollectiveCoefficients = 14;
inline constexpr std::size_t kAllReduceCoefficients = 23;

/// From 14 (what lies behind stays 0) or 23 values.
CollectiveCoefficients unpack_collective(std::span<const double> values);

/// A message and the links its group really has. Bandwidths in bytes/s, one direction.
struct Group {
  CollectiveOp op;
  double bytes;
  double devices, nodes, per_node;
  double pair_bandwidth;     ///< between two devices of a node: xGMI link, or NVSwitch port
  double bandwidth;          ///< out of one device into its group: g-1 links on a mesh, or the port
  double node_bandwidth;     ///< of all NICs of a node
  double network_bandwidth;  ///< one device's share of the group's share of the node's NICs
  double network_latency_s;
  bool in_switch;  ///< the switch can reduce this
};
Group group_of(const CollectiveShape& shape, const KernelMachine& machine);

/// One way with its price; duration_s is infinite where the library or the fabric lacks it.
struct CollectiveCandidate {
  CollectiveAlgorithm algorithm;
  double latency_s, duration_s;
  double wire_bytes;         ///< leaving one device, network_bytes included
  double network_bytes = 0;  ///< leaving it through its NIC
};

/// L = base + hop h + skew log2(n) r(S / n),  t = (L^1.5 + (w / (e B))^1.5)^(2/3): a step's wire
/// time hides partly behind the wait for its flag. r rises from 0 to 1 around 4 KiB, what 512
/// threads of 8 bytes (one channel) send at once. all_to_all has one channel a peer: e is of a
/// pair's bandwidth, (n-1) of them at work.
CollectiveCandidate low_latency(const Group& group, const CollectiveCoefficients& coefficients);

/// t = base + hop h + fill x / (x + 32 MiB) + w / (e B). The pipeline fills and drains by slices
/// that grow with the message until the channels' buffers are full (16 channels of 2 MiB).
CollectiveCandidate bulk(const Group& group, const CollectiveCoefficients& coefficients);

/// t = base + fill y / (y + 32 MiB) + y / (e B), y = (n+1) / n S: each device sends S for the
/// switch to reduce and its n-th of the result to multicast.
CollectiveCandidate in_switch(const Group& group, const CollectiveCoefficients& coefficients);

/// t = base + peer (n-1) + (n-1) S / (e B).
CollectiveCandidate one_shot(const Group& group, const CollectiveCoefficients& coefficients);

/// t = base + peer (n-1) + 2 (n-1) / n S / (e B).
CollectiveCandidate two_shot(const Group& group, const CollectiveCoefficients& coefficients);

/// t = base + 2 (N-1) latency + skew r(S / n) + fill S / (S + 32 MiB) + max(inside, across),
/// fill = bytes in flight / the group's NIC bandwidth of a node (about 100 MB on EFA v2, CX7 and
/// Pollara alike):
/// reduce-scatter and all-gather over g devices at bulk (or in-switch) speed, pipelined with rings
/// over the N nodes, 2 (N-1) / N S / g through each device's share of the NICs. The other
/// collectives have one of the two passes; all_to_all sends each byte straight to where it belongs.
CollectiveCandidate hierarchical(const Group& group, const CollectiveCoefficients& coefficients);

}  // namespace tradewind::kernels
