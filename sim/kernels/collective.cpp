#include "sim/kernels/collective.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <variant>

namespace tradewind::kernels {
namespace {

constexpr std::array<Parameter, kAllReduceCoefficients> kAllReduceParameters = {{
    {"low_latency_base_s", 0, 1e-4, 5e-6, "low latency: kernel start to end without a hop"},
    {"low_latency_hop_s", 0, 5e-6, 8e-7, "low latency: one step of the ring"},
    {"channel_skew_s", 0, 1e-5, 1e-6, "low latency: more once messages need several channels"},
    {"low_latency_efficiency", 0, 0.5, 0.25, "low latency: data on the group's links"},
    {"bulk_base_s", 0, 2e-4, 1.5e-5, "bulk: kernel start to end without a hop"},
    {"bulk_hop_s", 0, 1e-5, 1e-6, "bulk: one step of the ring"},
    {"bulk_fill_s", 0, 3e-4, 2e-5, "bulk: to fill and drain the pipeline of a large message"},
    {"bulk_efficiency", 0, 1, 0.8, "bulk: of the group's links"},
    {"own_copy_share", 0, 1, 0.4, "time to copy a device's own part, in time to send it"},
    {"network_base_s", 0, 1e-3, 5e-5, "over nodes: start to end without network hops"},
    {"network_skew_s", 0, 1e-3, 2e-5, "over nodes: more once messages need several channels"},
    {"network_fill_bytes", 0, 1e9, 1e8, "over nodes: a node's bytes in flight in the pipeline"},
    {"network_efficiency", 0, 1, 0.95, "over nodes: of the NICs"},
    {"compute_units", 0, 304, 16, "held while running; no influence on the time alone"},
    {"in_switch_base_s", 0, 1e-4, 2.5e-5, "in switch: kernel start to end"},
    {"in_switch_fill_s", 0, 3e-4, 6e-5, "in switch: to fill and drain the pipeline"},
    {"in_switch_efficiency", 0, 1, 0.68, "in switch: of the port"},
    {"one_shot_base_s", 0, 2e-5, 4e-6, "one-shot: kernel start to end, one barrier"},
    {"one_shot_peer_s", 0, 2e-6, 1e-7, "one-shot: more for each peer"},
    {"one_shot_efficiency", 0, 1, 0, "one-shot: of the group's links"},
    {"two_shot_base_s", 0, 4e-5, 7e-6, "two-shot: kernel start to end, two barriers"},
    {"two_shot_peer_s", 0, 4e-6, 2e-7, "two-shot: more for each peer"},
    {"two_shot_efficiency", 0, 1, 0, "two-shot: of the group's links"},
}};

constexpr std::size_t kLowLatencyEfficiency = 3;

/// all_to_all sends to each peer by a channel of its own, which fills little of a port.
constexpr auto kAllToAllParameters = [] {
  std::array<Parameter, kSharedCollectiveCoefficients> result{};
  std::copy_n(kAllReduceParameters.begin(), result.size(), result.begin());
  result[kLowLatencyEfficiency].initial = 0.02;
  result[kLowLatencyEfficiency].meaning = "low latency: data of one pair on its link";
  return result;
}();

constexpr std::array<double, kAllReduceCoefficients> kIdeal = [] {
  std::array<double, kAllReduceCoefficients> result{};
  result[7] = 1;   // bulk_efficiency
  result[12] = 1;  // network_efficiency
  return result;
}();
static_assert(kAllReduceParameters[7].name == "bulk_efficiency");
static_assert(kAllReduceParameters[12].name == "network_efficiency");

std::size_t coefficient_count(CollectiveOp op) {
  return op == CollectiveOp::all_reduce ? kAllReduceCoefficients : kSharedCollectiveCoefficients;
}

CollectiveCandidate fastest(const Group& group, const CollectiveCoefficients& c) {
  if (group.nodes > 1) return hierarchical(group, c);
  // Where NCCL has the switch reduce, it leaves the bulk ring alone.
  const bool switched = group.in_switch && c.in_switch_efficiency > 0;
  CollectiveCandidate best = switched ? in_switch(group, c) : bulk(group, c);
  const auto consider = [&best](const CollectiveCandidate& other) {
    if (other.duration_s < best.duration_s) best = other;
  };
  if (c.low_latency_efficiency > 0) consider(low_latency(group, c));
  if (group.op == CollectiveOp::all_reduce) {
    consider(one_shot(group, c));
    consider(two_shot(group, c));
  }
  return best;
}

double speed_of_light(const Group& group) {
  static const CollectiveCoefficients ideal = [] {
    CollectiveCoefficients result = unpack_collective(kIdeal);
    result.in_switch_efficiency = 1;
    return result;
  }();
  if (group.nodes > 1) {
    const CollectiveCandidate best = hierarchical(group, ideal);
    return best.duration_s - best.latency_s;
  }
  return std::min(bulk(group, ideal).duration_s, in_switch(group, ideal).duration_s);
}

Cost price_shape(const Shape& shape, const KernelMachine& machine,
                 std::span<const double> coefficients) {
  return price_collective(std::get<CollectiveShape>(shape), machine, coefficients,
                          Provenance::fitted)
      .cost;
}

constexpr std::span<const Parameter> kSharedParameters{kAllReduceParameters.data(),
                                                       kSharedCollectiveCoefficients};
constexpr std::array<Operation, 4> kOperations = {{
    {"all_reduce", kAllReduceParameters, price_shape},
    {"all_gather", kSharedParameters, price_shape},
    {"reduce_scatter", kSharedParameters, price_shape},
    {"all_to_all", kAllToAllParameters, price_shape},
}};

}  // namespace

std::span<const Parameter> collective_parameters(CollectiveOp op) {
  assert(op != CollectiveOp::send_recv);
  return kOperations[static_cast<std::size_t>(op)].parameters;
}

std::span<const double> ideal_collective_coefficients(CollectiveOp op) {
  return std::span<const double>(kIdeal).first(coefficient_count(op));
}

std::span<const Operation> collective_operations() {
  return kOperations;
}

CollectivePrice price_collective(const CollectiveShape& shape, const KernelMachine& machine,
                                 std::span<const double> coefficients, Provenance provenance) {
  assert(coefficients.size() == coefficient_count(shape.op));
  CollectivePrice price;
  price.cost.provenance = provenance;
  if (shape.devices <= 1) return price;
  const CollectiveCoefficients c = unpack_collective(coefficients);
  const Group group = group_of(shape, machine);
  const CollectiveCandidate best = fastest(group, c);
  price.algorithm = best.algorithm;
  price.network_bytes = best.network_bytes;
  Cost& cost = price.cost;
  cost.latency_s = best.latency_s;
  cost.duration_s = best.duration_s;
  cost.wire_bytes = best.wire_bytes;
  // Every byte sent is read from memory, and as many arrive and are written.
  cost.hbm_bytes = 2 * best.wire_bytes;
  cost.compute_unit_share =
      std::min(1.0, c.compute_units / std::max(1, machine.accelerator.compute_units));
  cost.speed_of_light_s = speed_of_light(group);
  cost.bound = best.latency_s > best.duration_s / 2 ? Bound::latency : Bound::network;
  return price;
}

}  // namespace tradewind::kernels
