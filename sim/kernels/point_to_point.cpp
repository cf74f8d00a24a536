#include "sim/kernels/point_to_point.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <variant>

namespace tradewind::kernels {
namespace {

constexpr std::array<Parameter, 7> kParameters = {{
    {"low_latency_base_s", 0, 1e-4, 6e-6, "low latency: kernel start to end"},
    {"low_latency_efficiency", 0, 0.5, 0.02, "low latency: data on the pair's link"},
    {"bulk_base_s", 0, 2e-4, 1.3e-5, "bulk: kernel start to end"},
    {"bulk_efficiency", 0, 1, 0.73, "bulk: of the pair's link"},
    {"network_base_s", 0, 1e-3, 1.4e-5, "over nodes: start to end without the network's latency"},
    {"network_efficiency", 0, 1, 0.95, "over nodes: of one NIC"},
    {"compute_units", 0, 304, 4, "held while running; no influence on the time alone"},
}};

constexpr std::array<double, kParameters.size()> kIdeal = {0, 0, 0, 1, 0, 1, 0};

struct Coefficients {
  double low_latency_base_s, low_latency_efficiency, bulk_base_s, bulk_efficiency, network_base_s,
      network_efficiency, compute_units;
};

struct Message {
  double latency_s, duration_s;
};

double wire_time(double bytes, double efficiency, double bandwidth) {
  return efficiency > 0 ? bytes / (efficiency * bandwidth)
                        : std::numeric_limits<double>::infinity();
}

Message in_node(double bytes, double link, const Coefficients& c) {
  const double quick = c.low_latency_base_s;
  const double wire = wire_time(bytes, c.low_latency_efficiency, link);
  const double root = std::cbrt(quick * std::sqrt(quick) + wire * std::sqrt(wire));
  const double bulk = c.bulk_base_s + wire_time(bytes, c.bulk_efficiency, link);
  return root * root < bulk ? Message{quick, root * root} : Message{c.bulk_base_s, bulk};
}

Message over_network(double bytes, const hardware::Network& network, double nic,
                     const Coefficients& c) {
  const double latency = c.network_base_s + network.latency_s;
  return {latency, latency + wire_time(bytes, c.network_efficiency, nic)};
}

Cost price_shape(const Shape& shape, const KernelMachine& machine,
                 std::span<const double> coefficients) {
  const auto& message = std::get<CollectiveShape>(shape);
  return price_point_to_point(message.bytes, message.nodes == 1, machine, coefficients,
                              Provenance::fitted);
}

constexpr Operation kOperation{"send_recv", kParameters, price_shape};

}  // namespace

std::span<const Parameter> point_to_point_parameters() {
  return kParameters;
}

std::span<const double> ideal_point_to_point_coefficients() {
  return kIdeal;
}

const Operation& point_to_point_operation() {
  return kOperation;
}

Cost price_point_to_point(double bytes, bool same_node, const KernelMachine& machine,
                          std::span<const double> v, Provenance provenance) {
  assert(v.size() == kParameters.size());
  const Coefficients c{v[0], v[1], v[2], v[3], v[4], v[5], v[6]};
  double bandwidth = 0;
  Message message{};
  if (same_node) {
    bandwidth = machine.node->link_bandwidth_bytes_per_s;
    message = in_node(bytes, bandwidth, c);
  } else {
    const hardware::Network& network = *machine.network;
    bandwidth = network.bandwidth_per_node_bytes_per_s / network.nics_per_node;
    message = over_network(bytes, network, bandwidth, c);
  }
  Cost cost;
  cost.latency_s = message.latency_s;
  cost.duration_s = message.duration_s;
  cost.hbm_bytes = bytes;
  cost.wire_bytes = bytes;
  cost.compute_unit_share =
      std::min(1.0, c.compute_units / std::max(1, machine.accelerator.compute_units));
  cost.speed_of_light_s = bytes / bandwidth;
  cost.bound = message.latency_s > message.duration_s / 2 ? Bound::latency : Bound::network;
  cost.provenance = provenance;
  return cost;
}

}  // namespace tradewind::kernels
