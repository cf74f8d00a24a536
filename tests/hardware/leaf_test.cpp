#include "sim/hardware/loader.h"
#include "tests/catch.h"
#include "tests/hardware/support.h"

namespace tradewind::hardware {
namespace {

Network network_with(int nodes_per_leaf, double oversubscription) {
  Network network;
  network.nodes_per_leaf = nodes_per_leaf;
  network.oversubscription = oversubscription;
  return network;
}

}  // namespace

TEST_CASE("a leaf's uplinks bind only where more crosses them than they carry") {
  const Network network = network_with(16, 4);
  CHECK(uplink_share(network, 0) == 1);
  CHECK(uplink_share(network, 0.25) == 1);  // a quarter of the traffic, a quarter of the links
  CHECK(uplink_share(network, 1) == Approx(0.25));
  CHECK(uplink_share(network_with(16, 1), 1) == 1);
}

TEST_CASE("what crosses a leaf grows with the distance of the nodes until all of it does") {
  const Network network = network_with(16, 4);
  CHECK(crossing_share(network, 1) == Approx(1.0 / 16));
  CHECK(crossing_share(network, 16) == 1);
  CHECK(crossing_share(network, 64) == 1);
  CHECK(crossing_share(network_with(0, 4), 64) == 0);  // one leaf holds all nodes
}

}  // namespace tradewind::hardware
