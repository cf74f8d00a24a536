#pragma once

#include <span>
#include <string_view>

#include "sim/kernels/collective_algorithms.h"
#include "sim/kernels/operation.h"

namespace tradewind::kernels {

/// Collectives: of the algorithms that a library has, the fastest one for the message and for the
/// links the group really has (collective_algorithms.h has an equation for each).
///
///   one node     t = min(low latency, bulk or in-switch, one-shot, two-shot)
///   over nodes   t = hierarchical
///
/// Libraries choose by their own plans and thresholds (NCCL: src/graph/tuning.cc; vLLM:
/// csrc/custom_all_reduce.cuh), which near a crossing are not quite the fastest: measured curves
/// jump by up to a factor of 2 where NCCL leaves its low-latency protocol (B200, 4 MiB). The
/// fastest is within 15 % of nine measured points in ten and has no table to maintain.
///
/// Checked from 256 B to 16 GiB, groups of 2, 4 and 8 on NVSwitch and xGMI, 16 over two nodes.
/// Measured in graph replay: the launch by the host is the runtime's, not counted here.
struct CollectivePrice {
  Cost cost;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::none;
  double network_bytes = 0;  ///< the part of cost.wire_bytes that leaves the node
};

/// Coefficients of `op`. Those of all_reduce are CollectiveCoefficients in the order of its
/// members, the others' its first kSharedCollectiveCoefficients. An efficiency of 0 says that the
/// library lacks the algorithm. send_recv has its own (point_to_point.h).
std::span<const Parameter> collective_parameters(CollectiveOp op);

/// A library of nothing but the bandwidth law: no latency, all links at their datasheet rate, and
/// no reduction in the switch. All-reduce of S bytes over g devices takes 2 S / (g x link) on a
/// mesh, 2 (g - 1) / g x S / port on a switch.
std::span<const double> ideal_collective_coefficients(CollectiveOp op);

/// The price for each device of the group. A group of one costs nothing. Needs machine.node, for
/// nodes > 1 machine.network too; `coefficients` in the order of collective_parameters(shape.op).
CollectivePrice price_collective(const CollectiveShape& shape, const KernelMachine& machine,
                                 std::span<const double> coefficients, Provenance provenance);

/// all_reduce, all_gather, reduce_scatter and all_to_all for the table of operations().
std::span<const Operation> collective_operations();

}  // namespace tradewind::kernels
