#include "sim/hardware/network.h"

#include <algorithm>
#include <vector>

#include "sim/hardware/figure_reader.h"

namespace tradewind::hardware {
namespace {

/// `topology`: { "kind", "nodes_per_leaf", "oversubscription" }; without it a spine that never
/// binds.
void read_topology(FigureReader& figures, Network& network) {
  constexpr int kMostNodes = 1'000'000;
  auto topology = figures.optional_section("topology");
  if (!topology) return;
  static const std::vector<std::string> names(kNetworkTopologyNames.begin(),
                                              kNetworkTopologyNames.end());
  network.topology = topology->name("kind", "topology", names) == names[0]
                         ? NetworkTopology::fat_tree
                         : NetworkTopology::rail_optimised;
  network.nodes_per_leaf = topology->integer("nodes_per_leaf", 1, kMostNodes);
  network.oversubscription = topology->number("oversubscription", json::Range{1, 1000});
  topology->finish();
}

}  // namespace

Network read_network(const json::Node& profile) {
  Network network;
  FigureReader figures(profile, network.figures);
  network.name = figures.plain().required("name").string();
  network.title = figures.plain().string("title", network.name);
  network.nics_per_node = figures.integer("nics_per_node", 1, 1'000);
  FigureReader nic = figures.section("nic");
  network.bandwidth_per_node_bytes_per_s =
      network.nics_per_node * nic.number("bandwidth_bytes_per_s");
  nic.finish();
  network.latency_s = figures.number("latency_s", json::kNotNegative);
  read_topology(figures, network);
  figures.finish();
  return network;
}

double uplink_share(const Network& network, double crossing) {
  return std::min(1.0, 1 / std::max(crossing * network.oversubscription, 1e-12));
}

double crossing_share(const Network& network, double distance) {
  return network.nodes_per_leaf == 0 ? 0 : std::min(1.0, distance / network.nodes_per_leaf);
}

}  // namespace tradewind::hardware
