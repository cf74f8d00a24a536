// The graph of devices and links: counts from combinatorics, capacities from the profile.
#include "sim/hardware/topology.h"

#include <algorithm>
#include <set>

#include "tests/hardware/support.h"

namespace tradewind::hardware {
namespace {

using test::cluster_of;

int count(const Topology& topology, LinkKind kind) {
  const auto links = topology.links();
  return static_cast<int>(std::count_if(links.begin(), links.end(),
                                        [kind](const Link& link) { return link.kind == kind; }));
}

TEST_CASE("a full mesh of n devices has n(n-1) directed links, one per ordered pair") {
  const Topology topology(cluster_of(R"("mi300x-8")"));
  CHECK(topology.links().size() == 8 * 7);
  std::set<int> used;
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) {
      if (from == to) continue;
      const Route route = topology.route(from, to);
      REQUIRE(route.size == 1);
      const Link& link = topology.links()[static_cast<std::size_t>(route.ids[0])];
      CHECK(link.from == from);
      CHECK(link.to == to);
      CHECK(link.kind == LinkKind::mesh);
      CHECK(link.capacity_bytes_per_s == 64e9);
      used.insert(route.ids[0]);
    }
  }
  CHECK(used.size() == 8 * 7);
}

TEST_CASE("a star sends through the port out of one device and the port into the other") {
  const Topology topology(cluster_of(R"("h100-8")"));
  CHECK(topology.links().size() == 2 * 8);
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) {
      if (from == to) continue;
      const Route route = topology.route(from, to);
      REQUIRE(route.size == 2);
      const Link& out = topology.links()[static_cast<std::size_t>(route.ids[0])];
      const Link& in = topology.links()[static_cast<std::size_t>(route.ids[1])];
      CHECK(out.kind == LinkKind::port_out);
      CHECK(out.from == from);
      CHECK(out.to == Link::kSwitch);
      CHECK(in.kind == LinkKind::port_in);
      CHECK(in.to == to);
      CHECK(out.capacity_bytes_per_s == 450e9);
    }
  }
}

TEST_CASE("the way to oneself is empty") {
  CHECK(Topology(cluster_of(R"("h100-8")")).route(3, 3).size == 0);
}

TEST_CASE("between nodes a transfer holds the sender's and the receiver's NIC") {
  const Cluster cluster = cluster_of(R"({"node": "mi355x-8", "nodes": 3, "network": "ib-ndr"})");
  const Topology topology(cluster);
  CHECK(topology.devices() == 24);
  CHECK(topology.links().size() == 3 * (8 * 7 + 8 + 8));
  const Route route = topology.route(2, 21);
  REQUIRE(route.size == 2);
  const Link& out = topology.links()[static_cast<std::size_t>(route.ids[0])];
  const Link& in = topology.links()[static_cast<std::size_t>(route.ids[1])];
  CHECK(out.kind == LinkKind::nic_out);
  CHECK(out.from == 2);
  CHECK(in.kind == LinkKind::nic_in);
  CHECK(in.to == 21);
  CHECK(out.capacity_bytes_per_s == 50e9);
  CHECK(route.latency_s == cluster.network->latency_s);
  CHECK(topology.route(16, 21).latency_s == cluster.node.link_latency_s);
}

TEST_CASE("fewer NICs than devices are shared evenly, more add up to one link a device") {
  const Topology shared(cluster_of(R"({"node": "a100-8", "nodes": 2, "network": "opa-4x100g"})"));
  CHECK(count(shared, LinkKind::nic_out) == 2 * 4);
  CHECK(shared.route(0, 8).ids == shared.route(1, 9).ids);
  CHECK(shared.route(0, 8).ids != shared.route(2, 10).ids);
  for (const Link& link : shared.links()) {
    if (link.kind == LinkKind::nic_out) {
      CHECK(link.capacity_bytes_per_s == 12.5e9);
      CHECK(link.from % 2 == 0);
    }
  }
  const Topology single(
      cluster_of(R"({"node": "a100-8", "nodes": 2, "network": "eth-400g-node"})"));
  CHECK(single.route(0, 15).ids == single.route(7, 8).ids);
  const Topology many(cluster_of(R"({"node": "a100-8", "nodes": 2, "network": "ib-hdr",
                                     "override": {"network.nics_per_node": 16}})"));
  CHECK(count(many, LinkKind::nic_in) == 2 * 8);
  const Route route = many.route(0, 8);
  CHECK(many.links()[static_cast<std::size_t>(route.ids[0])].capacity_bytes_per_s == 2 * 25e9);
}

TEST_CASE("a group on a mesh has the links of its own pairs, on a star the ports of its members") {
  const Topology mesh(cluster_of(R"("mi325x-8")"));
  for (int g = 1; g <= 8; ++g) {
    std::vector<int> group(static_cast<std::size_t>(g));
    for (int i = 0; i < g; ++i) group[static_cast<std::size_t>(i)] = i;
    CHECK(mesh.group_links(group).size() == static_cast<std::size_t>(g * (g - 1)));
    const Topology star(cluster_of(R"("h200-8")"));
    CHECK(star.group_links(group).size() == static_cast<std::size_t>(g > 1 ? 2 * g : 0));
  }
}

TEST_CASE("the links of a group are the union of its members' routes") {
  for (const char* text : {R"({"node": "mi300x-8", "nodes": 3, "network": "ib-4x200g"})",
                           R"({"node": "h100-8", "nodes": 3, "network": "ib-ndr"})"}) {
    const Topology topology(cluster_of(text));
    for (const std::vector<int>& group :
         {std::vector<int>{0, 8, 16}, {0, 1, 9}, {23, 3, 4, 3, 17}, {5}, {0, 23}}) {
      std::set<int> expected;
      for (const int from : group) {
        for (const int to : group) {
          const Route route = topology.route(from, to);
          for (const int id : route.links()) expected.insert(id);
        }
      }
      CHECK(topology.group_links(group) == std::vector<int>(expected.begin(), expected.end()));
    }
  }
}

}  // namespace
}  // namespace tradewind::hardware
