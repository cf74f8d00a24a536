#pragma once

#include <span>

#include "sim/kernels/operation.h"

namespace tradewind::kernels {

/// One message of S bytes from one device to another (pipeline stages, send_recv of nccl-tests).
///
///   same node   t = min((L^1.5 + (S / (e_low B))^1.5)^(2/3), bulk base + S / (e B))
///   over nodes  t = network base + latency + S / (e_net NIC)
///
/// L: base of the low-latency protocol; B: the pair's link on a mesh (xGMI: one, whatever the
/// group), the port on a switch; NIC: one NIC of the node; latency: hardware::Network's. The same
/// protocols as a collective's (collective_algorithms.h) without ring, own copy and fill.
/// Published: RCCL reaches 47 to 48 of 50 GB/s over the network (AMD's two-node acceptance), xGMI
/// pairs 46.6 of 64 GB/s (TransferBench), NCCL 17 us and 36 GB/s between H100 nodes (Vidur).
std::span<const Parameter> point_to_point_parameters();

/// `coefficients` in the order of point_to_point_parameters(). Needs machine.node, and
/// machine.network where !same_node.
Cost price_point_to_point(double bytes, bool same_node, const KernelMachine& machine,
                          std::span<const double> coefficients, Provenance provenance);

/// No latency, links and NICs at their datasheet rate.
std::span<const double> ideal_point_to_point_coefficients();

/// send_recv for the table of operations(): in the same node if shape.nodes == 1.
const Operation& point_to_point_operation();

}  // namespace tradewind::kernels
