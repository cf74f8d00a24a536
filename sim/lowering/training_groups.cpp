#include "sim/lowering/training_groups.h"

#include <algorithm>

#include "sim/lowering/region.h"

namespace tradewind::lowering {
namespace {

int per_node(const scenario::Scenario& scenario) {
  return scenario.cluster->node.devices;
}

RankGroup group_of(const scenario::Scenario& scenario, int ranks, int stride) {
  const int inside = std::clamp(per_node(scenario) / stride, 1, ranks);
  return {ranks, (ranks + inside - 1) / inside, std::max(1.0, 1.0 * stride / per_node(scenario))};
}

/// Ranks of `dp` data-parallel replicas that stand next to each other.
RankGroup neighbours(const scenario::Scenario& scenario, int dp) {
  const scenario::Plan& plan = scenario.plan;
  const int of_replica = plan.cp * plan.ulysses;
  if (!plan.stages_inside_replicas || plan.pp == 1 || dp == 1) {
    return group_of(scenario, dp * of_replica, plan.tp);
  }
  // The ranks of one replica stand together, the next replica behind all the stages.
  const RankGroup replica = group_of(scenario, of_replica, plan.tp);
  const RankGroup over = group_of(scenario, dp, stage_stride(scenario) * plan.pp);
  return {dp * of_replica, replica.nodes * over.nodes, over.node_distance};
}

/// How much longer messages take that share the uplinks of their leaf.
double crowding(const scenario::Scenario& scenario, double crossing) {
  return 1 / hardware::uplink_share(*scenario.cluster->network, crossing);
}

/// Devices behind one NIC.
double sharers(const scenario::Scenario& scenario) {
  const double nics = scenario.cluster->network ? scenario.cluster->network->nics_per_node : 1;
  return std::max(1.0, per_node(scenario) / nics);
}

}  // namespace

RankGroup context_group(const scenario::Scenario& scenario) {
  return group_of(scenario, scenario.plan.cp, scenario.plan.tp);
}

RankGroup ulysses_group(const scenario::Scenario& scenario) {
  return group_of(scenario, scenario.plan.ulysses, scenario.plan.tp * scenario.plan.cp);
}

RankGroup replica_group(const scenario::Scenario& scenario) {
  return neighbours(scenario, scenario.plan.dp);
}

RankGroup shard_group(const scenario::Scenario& scenario) {
  return neighbours(scenario, scenario.plan.dp / scenario.plan.dp_replicate);
}

RankGroup copy_group(const scenario::Scenario& scenario) {
  const scenario::Plan& plan = scenario.plan;
  const int stages = plan.stages_inside_replicas ? plan.pp : 1;
  return group_of(scenario, plan.dp_replicate, plan.tp * plan.shards() * stages);
}

int stage_stride(const scenario::Scenario& scenario) {
  const scenario::Plan& plan = scenario.plan;
  return plan.tp * plan.cp * plan.ulysses * (plan.stages_inside_replicas ? 1 : plan.dp);
}

Kernel group_collective(const scenario::Scenario& scenario, const kernels::Book& book,
                        const RankGroup& group, KernelKind kind, double bytes) {
  if (group.nodes == 1) {
    return {kind, book.collective({operation_of(kind), group.ranks, 1, bytes})};
  }
  // Groups of fewer ranks a node than devices run beside each other. A group of per_node ranks
  // already has its NICs counted; the others come on top.
  const int inside = std::max(1, group.ranks / group.nodes);
  const double nics = scenario.cluster->network->nics_per_node;
  const double beside = per_node(scenario) / std::max<double>(nics, inside);
  const hardware::Network& network = *scenario.cluster->network;
  // All pairs exchange; a ring's members do with the next one.
  const double crossing = kind == KernelKind::all_to_all
                              ? hardware::crossing_share(network, group.nodes * group.node_distance)
                              : hardware::crossing_share(network, group.node_distance);
  return {kind, book.collective({operation_of(kind), inside * group.nodes, group.nodes,
                                 bytes * std::max(1.0, beside) * crowding(scenario, crossing)})};
}

Kernel near_message(const kernels::Book& book, double bytes) {
  return {KernelKind::p2p, book.point_to_point(bytes, true)};
}

Kernel far_message(const scenario::Scenario& scenario, const kernels::Book& book, double bytes,
                   double node_distance) {
  const double crossing = hardware::crossing_share(*scenario.cluster->network, node_distance);
  return {KernelKind::p2p,
          book.point_to_point(bytes * sharers(scenario) * crowding(scenario, crossing), false)};
}

Kernel neighbour_message(const scenario::Scenario& scenario, const kernels::Book& book,
                         const RankGroup& group, double bytes) {
  return group.nodes == 1 ? near_message(book, bytes)
                          : far_message(scenario, book, bytes, group.node_distance);
}

}  // namespace tradewind::lowering
