#pragma once

#include "sim/kernels/book.h"
#include "sim/lowering/kernel.h"
#include "sim/scenario/scenario.h"

namespace tradewind::lowering {

/// Where the ranks of a training plan stand: tensor parallelism innermost, then context
/// parallelism, Ulysses, then data parallelism and the pipeline stages outermost or the other way
/// round (plan.stages_inside_replicas), node after node.
struct RankGroup {
  int ranks = 1;
  int nodes = 1;             ///< that it spans
  double node_distance = 1;  ///< from one of its nodes to the next, where it spans several
};
/// Devices from one pipeline stage to the next.
int stage_stride(const scenario::Scenario& scenario);
RankGroup context_group(const scenario::Scenario& scenario);
RankGroup ulysses_group(const scenario::Scenario& scenario);
/// All ranks that reduce the gradients of one weight: dp x cp x ulysses.
RankGroup replica_group(const scenario::Scenario& scenario);
/// Those of them that share out one copy of weights, gradients and optimizer states (ZeRO), and
/// the ranks that hold the same shard of the copies (plan.dp_replicate).
RankGroup shard_group(const scenario::Scenario& scenario);
RankGroup copy_group(const scenario::Scenario& scenario);

/// A collective over a group, while every device of the node takes part in one of its like: where
/// there are fewer NICs than devices, groups share them; what leaves a leaf switch shares its
/// uplinks (hardware::uplink_share). Rings cross as often as their neighbours are leaves apart.
Kernel group_collective(const scenario::Scenario& scenario, const kernels::Book& book,
                        const RankGroup& group, KernelKind kind, double bytes);

/// One message from each device of a node to one in the same node, or in the next: then devices
/// share the NICs.
Kernel near_message(const kernels::Book& book, double bytes);
Kernel far_message(const scenario::Scenario& scenario, const kernels::Book& book, double bytes,
                   double node_distance);
/// From each rank of a group to the next one, all at once: as long as the longest way.
Kernel neighbour_message(const scenario::Scenario& scenario, const kernels::Book& book,
                         const RankGroup& group, double bytes);

}  // namespace tradewind::lowering
