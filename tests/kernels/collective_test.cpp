#include "sim/kernels/collective.h"

#include <cmath>
#include <vector>

#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::kernels;

namespace {

constexpr double kLink = 50e9;
constexpr double kMegabyte = 1e6;
/// Closed forms with a handful of operations: only rounding is left.
constexpr double kRounding = 1e-12;

struct Machine {
  hardware::Node node;
  hardware::Network network;
  KernelMachine machine() const { return {node.accelerator, &node, &network}; }
};

Machine machine_of(hardware::Fabric fabric, bool in_switch = false) {
  Machine result;
  result.node.accelerator.compute_units = 100;
  result.node.devices = 8;
  result.node.fabric = fabric;
  result.node.link_bandwidth_bytes_per_s = kLink;
  result.node.in_switch_reduction = in_switch;
  result.network.bandwidth_per_node_bytes_per_s = 8 * 10e9;
  result.network.nics_per_node = 8;
  return result;
}

const Machine kMesh = machine_of(hardware::Fabric::full_mesh);
const Machine kStar = machine_of(hardware::Fabric::star);
const Machine kReducingSwitch = machine_of(hardware::Fabric::star, true);

std::vector<double> textbook(CollectiveOp op) {
  std::vector<double> result;
  for (const Parameter& parameter : collective_parameters(op)) result.push_back(parameter.initial);
  return result;
}

void set(std::vector<double>& coefficients, std::string_view name, double value) {
  const auto parameters = collective_parameters(CollectiveOp::all_reduce);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == name) coefficients.at(i) = value;
}

/// A library with direct algorithms only, as custom all-reduce kernels are.
std::vector<double> direct_library() {
  std::vector<double> result = textbook(CollectiveOp::all_reduce);
  set(result, "low_latency_efficiency", 0);
  set(result, "bulk_efficiency", 0);
  set(result, "one_shot_efficiency", 1);
  set(result, "two_shot_efficiency", 1);
  return result;
}

CollectivePrice ideal(const Machine& machine, const CollectiveShape& shape) {
  return price_collective(shape, machine.machine(), ideal_collective_coefficients(shape.op),
                          Provenance::datasheet);
}

double seconds(const Machine& machine, const CollectiveShape& shape,
               const std::vector<double>& coefficients) {
  return price_collective(shape, machine.machine(), coefficients, Provenance::fitted)
      .cost.duration_s;
}

const std::vector<CollectiveOp> kOps = {CollectiveOp::all_reduce, CollectiveOp::all_gather,
                                        CollectiveOp::reduce_scatter, CollectiveOp::all_to_all};

}  // namespace

TEST_CASE("a ring all-reduce sends 2 (n-1) / n of the message from each device") {
  for (const int n : {2, 3, 4, 8}) {
    const CollectivePrice price = ideal(kStar, {CollectiveOp::all_reduce, n, 1, kMegabyte});
    CHECK(price.algorithm == CollectiveAlgorithm::bulk);
    CHECK(price.cost.wire_bytes == Approx(2.0 * (n - 1) / n * kMegabyte).epsilon(kRounding));
  }
}

TEST_CASE("gather, scatter and exchange send (n-1) / n of the message from each device") {
  for (const CollectiveOp op :
       {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all})
    CHECK(ideal(kStar, {op, 4, 1, kMegabyte}).cost.wire_bytes ==
          Approx(0.75 * kMegabyte).epsilon(kRounding));
}

TEST_CASE("on a full mesh an ideal all-reduce takes 2 S / (g x link)") {
  for (const int g : {2, 4, 8})
    CHECK(ideal(kMesh, {CollectiveOp::all_reduce, g, 1, kMegabyte}).cost.duration_s ==
          Approx(2 * kMegabyte / (g * kLink)).epsilon(kRounding));
}

TEST_CASE("behind a switch an ideal all-reduce takes 2 (g-1) / g x S / port") {
  for (const int g : {2, 4, 8})
    CHECK(ideal(kStar, {CollectiveOp::all_reduce, g, 1, kMegabyte}).cost.duration_s ==
          Approx(2.0 * (g - 1) / g * kMegabyte / kLink).epsilon(kRounding));
}

TEST_CASE("a pair on a mesh has one link, a pair behind a switch the whole port") {
  const CollectiveShape pair{CollectiveOp::all_reduce, 2, 1, kMegabyte};
  CHECK(ideal(kMesh, pair).cost.duration_s == Approx(kMegabyte / kLink).epsilon(kRounding));
  CHECK(group_of(pair, kMesh.machine()).bandwidth == kLink);
  const CollectiveShape all{CollectiveOp::all_reduce, 8, 1, kMegabyte};
  CHECK(group_of(all, kMesh.machine()).bandwidth == 7 * kLink);
  CHECK(group_of(all, kStar.machine()).bandwidth == kLink);
}

TEST_CASE("a group of one costs nothing") {
  const CollectivePrice price = ideal(kStar, {CollectiveOp::all_reduce, 1, 1, kMegabyte});
  CHECK(price.algorithm == CollectiveAlgorithm::none);
  CHECK(price.cost.duration_s == 0);
  CHECK(price.cost.wire_bytes == 0);
}

TEST_CASE("an ideal all-reduce is a reduce-scatter and an all-gather") {
  for (const Machine& machine : {kMesh, kStar}) {
    const auto one = [&](CollectiveOp op) {
      return ideal(machine, {op, 8, 1, kMegabyte}).cost.duration_s;
    };
    CHECK(one(CollectiveOp::all_reduce) ==
          Approx(one(CollectiveOp::reduce_scatter) + one(CollectiveOp::all_gather))
              .epsilon(kRounding));
  }
}

TEST_CASE("an all-reduce takes no less than its reduce-scatter") {
  for (const Machine& machine : {kMesh, kStar})
    for (double bytes = 256; bytes < 1e10; bytes *= 2)
      CHECK(seconds(machine, {CollectiveOp::all_reduce, 8, 1, bytes},
                    textbook(CollectiveOp::all_reduce)) >=
            seconds(machine, {CollectiveOp::reduce_scatter, 8, 1, bytes},
                    textbook(CollectiveOp::reduce_scatter)));
}

TEST_CASE("a larger message takes longer, in one node and over several") {
  for (const CollectiveOp op : kOps)
    for (const int nodes : {1, 2}) {
      double before = 0;
      for (double bytes = 256; bytes < 1e11; bytes *= 1.5) {
        const double now = seconds(kMesh, {op, 8 * nodes, nodes, bytes}, textbook(op));
        CHECK(now > before);
        before = now;
      }
    }
}

TEST_CASE("faster links never slow a collective down") {
  Machine faster = kStar;
  faster.node.link_bandwidth_bytes_per_s *= 2;
  for (const CollectiveOp op : kOps)
    for (double bytes = 256; bytes < 1e10; bytes *= 4)
      CHECK(seconds(faster, {op, 8, 1, bytes}, textbook(op)) <=
            seconds(kStar, {op, 8, 1, bytes}, textbook(op)));
}

TEST_CASE("one-shot is taken below, two-shot above the size where their lines cross") {
  const std::vector<double> library = direct_library();
  // t1 = 4 us + 7 x 0.1 us + 7 S / B, t2 = 7 us + 7 x 0.2 us + 7/4 S / B: equal at S = B x
  // 3.7 us / 5.25.
  const double crossing = kLink * 3.7e-6 / 5.25;
  const auto chosen = [&](double bytes) {
    return price_collective({CollectiveOp::all_reduce, 8, 1, bytes}, kStar.machine(), library,
                            Provenance::fitted)
        .algorithm;
  };
  CHECK(chosen(0.99 * crossing) == CollectiveAlgorithm::one_shot);
  CHECK(chosen(1.01 * crossing) == CollectiveAlgorithm::two_shot);
}

TEST_CASE("two devices never need the second shot") {
  for (double bytes = 256; bytes < 1e9; bytes *= 4)
    CHECK(price_collective({CollectiveOp::all_reduce, 2, 1, bytes}, kStar.machine(),
                           direct_library(), Provenance::fitted)
              .algorithm == CollectiveAlgorithm::one_shot);
}

TEST_CASE("small messages go by the low-latency protocol, large ones in bulk") {
  const auto chosen = [](double bytes) {
    return price_collective({CollectiveOp::all_gather, 8, 1, bytes}, kStar.machine(),
                            textbook(CollectiveOp::all_gather), Provenance::fitted)
        .algorithm;
  };
  CHECK(chosen(1e3) == CollectiveAlgorithm::low_latency);
  CHECK(chosen(1e9) == CollectiveAlgorithm::bulk);
}

TEST_CASE(
    "a reducing switch takes (n+1) / n of the message from each device, for all-reduce only") {
  const auto price = [](CollectiveOp op, int n) {
    return price_collective({op, n, 1, 1e9}, kReducingSwitch.machine(), textbook(op),
                            Provenance::fitted);
  };
  CHECK(price(CollectiveOp::all_reduce, 8).algorithm == CollectiveAlgorithm::in_switch);
  CHECK(price(CollectiveOp::all_reduce, 8).cost.wire_bytes ==
        Approx(9.0 / 8 * 1e9).epsilon(kRounding));
  CHECK(price(CollectiveOp::all_reduce, 4).algorithm == CollectiveAlgorithm::bulk);
  CHECK(price(CollectiveOp::all_gather, 8).algorithm == CollectiveAlgorithm::bulk);
}

TEST_CASE("over nodes the slower of the two stages of an ideal all-reduce sets its time") {
  const CollectiveShape shape{CollectiveOp::all_reduce, 16, 2, kMegabyte};
  // Across: each of 8 devices owns S/8 and exchanges 2 (2-1)/2 of it through its NIC of 10 GB/s.
  const double across = kMegabyte / 8 / 10e9;
  const double inside_star = 2 * 7.0 / 8 * kMegabyte / kLink;
  CHECK(ideal(kStar, shape).cost.duration_s == Approx(inside_star).epsilon(kRounding));
  CHECK(ideal(kMesh, shape).cost.duration_s == Approx(across).epsilon(kRounding));
  CHECK(ideal(kMesh, shape).network_bytes == Approx(kMegabyte / 8).epsilon(kRounding));
  CHECK(ideal(kMesh, shape).algorithm == CollectiveAlgorithm::hierarchical);
}

TEST_CASE("one device a node has one NIC of its node") {
  const CollectiveShape shape{CollectiveOp::all_reduce, 4, 4, kMegabyte};
  CHECK(ideal(kStar, shape).cost.duration_s ==
        Approx(2 * 3.0 / 4 * kMegabyte / 10e9).epsilon(kRounding));
}

TEST_CASE("a pipeline over nodes fills the NICs that it has: no slower with one device a node") {
  const auto latency = [](int per_node, CollectiveOp op) {
    std::vector<double> coefficients(collective_parameters(op).size(), 0);
    const auto parameters = collective_parameters(op);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].name == "network_fill_bytes") coefficients[i] = 1e8;
      if (parameters[i].name == "network_efficiency") coefficients[i] = 1;
      if (parameters[i].name == "bulk_efficiency") coefficients[i] = 1;
    }
    const CollectiveShape shape{op, 2 * per_node, 2, kMegabyte};
    return price_collective(shape, kStar.machine(), coefficients, Provenance::fitted)
        .cost.latency_s;
  };
  for (const CollectiveOp op : kOps) CHECK(latency(1, op) == latency(8, op));
}

TEST_CASE(
    "no price beats the speed of light, and the ideal library reaches it without reducing "
    "switches") {
  for (const Machine& machine : {kMesh, kStar, kReducingSwitch})
    for (const CollectiveOp op : kOps)
      for (const int nodes : {1, 4})
        for (double bytes = 256; bytes < 1e10; bytes *= 16) {
          const CollectiveShape shape{op, 8 * nodes, nodes, bytes};
          const Cost cost =
              price_collective(shape, machine.machine(), textbook(op), Provenance::fitted).cost;
          CHECK(cost.duration_s >= cost.speed_of_light_s);
          CHECK(cost.latency_s <= cost.duration_s);
          if (machine.node.in_switch_reduction) continue;
          CHECK(ideal(machine, shape).cost.duration_s ==
                Approx(cost.speed_of_light_s).epsilon(kRounding));
        }
}

TEST_CASE("a collective holds its library's compute units, at most all of them") {
  std::vector<double> library = textbook(CollectiveOp::all_reduce);
  const CollectiveShape shape{CollectiveOp::all_reduce, 8, 1, kMegabyte};
  set(library, "compute_units", 25);
  CHECK(price_collective(shape, kStar.machine(), library, Provenance::fitted)
            .cost.compute_unit_share == Approx(0.25).epsilon(kRounding));
  set(library, "compute_units", 250);
  CHECK(price_collective(shape, kStar.machine(), library, Provenance::fitted)
            .cost.compute_unit_share == 1);
}
