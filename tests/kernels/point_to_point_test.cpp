#include "sim/kernels/point_to_point.h"

#include <vector>

#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::kernels;

namespace {

constexpr double kLink = 50e9;
constexpr double kNic = 10e9;
/// Closed forms with a handful of operations: only rounding is left.
constexpr double kRounding = 1e-12;

struct Machine {
  hardware::Node node;
  hardware::Network network;
  KernelMachine machine() const { return {node.accelerator, &node, &network}; }
};

Machine make(hardware::Fabric fabric) {
  Machine result;
  result.node.accelerator.compute_units = 100;
  result.node.devices = 8;
  result.node.fabric = fabric;
  result.node.link_bandwidth_bytes_per_s = kLink;
  result.network.bandwidth_per_node_bytes_per_s = 8 * kNic;
  result.network.nics_per_node = 8;
  result.network.latency_s = 2e-6;
  return result;
}

std::vector<double> textbook() {
  std::vector<double> result;
  for (const Parameter& parameter : point_to_point_parameters())
    result.push_back(parameter.initial);
  return result;
}

Cost price(const Machine& machine, double bytes, bool same_node) {
  return price_point_to_point(bytes, same_node, machine.machine(), textbook(), Provenance::assumed);
}

}  // namespace

TEST_CASE("an ideal message takes its bytes over one link, mesh or switch") {
  for (const auto fabric : {hardware::Fabric::full_mesh, hardware::Fabric::star}) {
    const Machine machine = make(fabric);
    const Cost cost = price_point_to_point(
        1e6, true, machine.machine(), ideal_point_to_point_coefficients(), Provenance::datasheet);
    CHECK(cost.duration_s == Approx(1e6 / kLink).epsilon(kRounding));
    CHECK(cost.duration_s == Approx(cost.speed_of_light_s).epsilon(kRounding));
    CHECK(cost.latency_s == 0);
  }
}

TEST_CASE("between nodes an ideal message takes one NIC and the network's latency") {
  const Machine machine = make(hardware::Fabric::star);
  const Cost cost = price_point_to_point(
      1e6, false, machine.machine(), ideal_point_to_point_coefficients(), Provenance::datasheet);
  CHECK(cost.duration_s == Approx(2e-6 + 1e6 / kNic).epsilon(kRounding));
}

TEST_CASE("a message sends its bytes once") {
  const Machine machine = make(hardware::Fabric::star);
  for (const bool same_node : {true, false})
    CHECK(price(machine, 1e6, same_node).wire_bytes == 1e6);
}

TEST_CASE("a longer message takes longer and an empty one only its latency") {
  const Machine machine = make(hardware::Fabric::full_mesh);
  for (const bool same_node : {true, false}) {
    double before = price(machine, 0, same_node).duration_s;
    CHECK(before == Approx(price(machine, 0, same_node).latency_s).epsilon(kRounding));
    for (double bytes = 256; bytes < 1e10; bytes *= 1.5) {
      const double now = price(machine, bytes, same_node).duration_s;
      CHECK(now > before);
      before = now;
    }
  }
}

TEST_CASE("a large message in a node approaches its share of the link") {
  const Machine machine = make(hardware::Fabric::star);
  // 13 us of latency in 100 GB: under 1e-5 of the time.
  const double bytes = 1e11;
  CHECK(price(machine, bytes, true).duration_s == Approx(bytes / (0.73 * kLink)).epsilon(1e-5));
}
