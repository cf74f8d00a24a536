#include "sim/kernels/collective_algorithms.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace tradewind::kernels {
namespace {

/// 512 threads of one channel send 8 bytes each (NVIDIA/nccl v2.30 src/graph/tuning.cc: threads of
/// the low-latency protocol).
constexpr double kChannelChunkBytes = 4096;
/// 16 channels (NVIDIA/nccl issue 689: typical on DGX), half of the 4 MiB buffer of each in flight
/// (NCCL_BUFFSIZE; an all-reduce moves half of a buffer at once).
constexpr double kBytesInFlight = 32.0 * (1 << 20);
/// NCCL reduces in the switch from 5 devices on H200, from 6 on B200 (stas00/ml-engineering
/// network/README.md, NCCL 2.27.7).
constexpr double kInSwitchFromDevices = 6;

double passes(CollectiveOp op) {
  return op == CollectiveOp::all_reduce ? 2 : 1;
}

double rise(double bytes) {
  const double square = bytes * bytes;
  return square / (square + kChannelChunkBytes * kChannelChunkBytes);
}

double filled(double bytes) {
  return bytes / (bytes + kBytesInFlight);
}

double wire_time(double bytes, double efficiency, double bandwidth) {
  return efficiency > 0 ? bytes / (efficiency * bandwidth)
                        : std::numeric_limits<double>::infinity();
}

double ring_bytes(const Group& group) {
  return passes(group.op) * (group.devices - 1) / group.devices * group.bytes;
}

double with_own_copy(const Group& group, double bytes, double share) {
  return bytes + share * group.bytes / group.devices;
}

}  // namespace

CollectiveCoefficients unpack_collective(std::span<const double> c) {
  assert(c.size() >= kSharedCollectiveCoefficients);
  CollectiveCoefficients result{c[0], c[1], c[2], c[3],  c[4],  c[5],  c[6],
                                c[7], c[8], c[9], c[10], c[11], c[12], c[13]};
  if (c.size() < kAllReduceCoefficients) return result;
  result.in_switch_base_s = c[14];
  result.in_switch_fill_s = c[15];
  result.in_switch_efficiency = c[16];
  result.one_shot_base_s = c[17];
  result.one_shot_peer_s = c[18];
  result.one_shot_efficiency = c[19];
  result.two_shot_base_s = c[20];
  result.two_shot_peer_s = c[21];
  result.two_shot_efficiency = c[22];
  return result;
}

Group group_of(const CollectiveShape& shape, const KernelMachine& machine) {
  assert(machine.node != nullptr);
  const hardware::Node& node = *machine.node;
  Group group{};
  group.op = shape.op;
  group.bytes = shape.bytes;
  group.devices = shape.devices;
  group.nodes = shape.nodes;
  group.per_node = group.devices / group.nodes;
  group.pair_bandwidth = node.link_bandwidth_bytes_per_s;
  const bool mesh = node.fabric == hardware::Fabric::full_mesh;
  group.bandwidth = group.pair_bandwidth * (mesh ? std::max(group.per_node - 1, 1.0) : 1.0);
  group.in_switch = node.in_switch_reduction && shape.op == CollectiveOp::all_reduce &&
                    group.per_node >= kInSwitchFromDevices;
  if (shape.nodes > 1) {
    assert(machine.network != nullptr);
    const double nics = machine.network->nics_per_node;
    group.network_bandwidth =
        machine.network->bandwidth_per_node_bytes_per_s / std::max(nics, group.per_node);
    group.node_bandwidth = machine.network->bandwidth_per_node_bytes_per_s;
    group.network_latency_s = machine.network->latency_s;
  }
  return group;
}

CollectiveCandidate low_latency(const Group& group, const CollectiveCoefficients& c) {
  const double n = group.devices;
  const double latency = c.low_latency_base_s + c.low_latency_hop_s * passes(group.op) * (n - 1) +
                         c.channel_skew_s * std::log2(n) * rise(group.bytes / n);
  const double channels =
      group.op == CollectiveOp::all_to_all ? (n - 1) * group.pair_bandwidth : group.bandwidth;
  const double bytes = ring_bytes(group);
  const double wire =
      wire_time(with_own_copy(group, bytes, c.own_copy_share), c.low_latency_efficiency, channels);
  const double root = std::cbrt(latency * std::sqrt(latency) + wire * std::sqrt(wire));
  return {CollectiveAlgorithm::low_latency, latency, root * root, bytes};
}

CollectiveCandidate bulk(const Group& group, const CollectiveCoefficients& c) {
  const double bytes = ring_bytes(group);
  const double latency = c.bulk_base_s + c.bulk_hop_s * passes(group.op) * (group.devices - 1) +
                         c.bulk_fill_s * filled(bytes);
  const double wire =
      wire_time(with_own_copy(group, bytes, c.own_copy_share), c.bulk_efficiency, group.bandwidth);
  return {CollectiveAlgorithm::bulk, latency, latency + wire, bytes};
}

CollectiveCandidate in_switch(const Group& group, const CollectiveCoefficients& c) {
  const double bytes = (group.devices + 1) / group.devices * group.bytes;
  const double latency = c.in_switch_base_s + c.in_switch_fill_s * filled(bytes);
  const double efficiency = group.in_switch ? c.in_switch_efficiency : 0;
  const double wire = wire_time(bytes, efficiency, group.bandwidth);
  return {CollectiveAlgorithm::in_switch, latency, latency + wire, bytes};
}

CollectiveCandidate one_shot(const Group& group, const CollectiveCoefficients& c) {
  const double peers = group.devices - 1;
  const double bytes = peers * group.bytes;
  const double latency = c.one_shot_base_s + c.one_shot_peer_s * peers;
  const double wire = wire_time(bytes, c.one_shot_efficiency, group.bandwidth);
  return {CollectiveAlgorithm::one_shot, latency, latency + wire, bytes};
}

CollectiveCandidate two_shot(const Group& group, const CollectiveCoefficients& c) {
  const double bytes = ring_bytes(group);
  const double latency = c.two_shot_base_s + c.two_shot_peer_s * (group.devices - 1);
  const double wire = wire_time(bytes, c.two_shot_efficiency, group.bandwidth);
  return {CollectiveAlgorithm::two_shot, latency, latency + wire, bytes};
}

CollectiveCandidate hierarchical(const Group& group, const CollectiveCoefficients& c) {
  const double g = group.per_node;
  const double others = group.nodes - 1;
  const bool direct = group.op == CollectiveOp::all_to_all;
  const double inside_bytes =
      direct ? (g - 1) / group.devices * group.bytes : passes(group.op) * (g - 1) / g * group.bytes;
  const double across_bytes =
      (direct ? 1 : passes(group.op) / g) * others / group.nodes * group.bytes;
  const double latency = c.network_base_s + passes(group.op) * others * group.network_latency_s +
                         c.network_skew_s * rise(group.bytes / group.devices) +
                         c.network_fill_bytes * filled(group.bytes) / group.node_bandwidth;
  double inside = wire_time(with_own_copy(group, inside_bytes, c.own_copy_share), c.bulk_efficiency,
                            group.bandwidth);
  if (group.in_switch)
    inside = std::min(
        inside, wire_time((g + 1) / g * group.bytes, c.in_switch_efficiency, group.bandwidth));
  const double across = wire_time(across_bytes, c.network_efficiency, group.network_bandwidth);
  return {CollectiveAlgorithm::hierarchical, latency, latency + std::max(inside, across),
          inside_bytes + across_bytes, across_bytes};
}

}  // namespace tradewind::kernels
