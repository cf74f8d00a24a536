#include "sim/hardware/network.h"

#include "sim/hardware/figure_reader.h"

namespace tradewind::hardware {

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
  figures.finish();
  return network;
}

}  // namespace tradewind::hardware
