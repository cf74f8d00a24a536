#include "sim/hardware/node.h"

#include <utility>
#include <vector>

#include "sim/hardware/figure_reader.h"

namespace tradewind::hardware {
namespace {

void read_link(FigureReader section, Node& node) {
  node.link_bandwidth_bytes_per_s = section.number("bandwidth_bytes_per_s");
  node.link_latency_s = section.number("latency_s", json::kNotNegative);
  node.in_switch_reduction = section.boolean("in_switch_reduction");
  section.finish();
}

}  // namespace

Node read_node(const json::Node& profile, Accelerator accelerator) {
  static const std::vector<std::string> fabrics(kFabricNames.begin(), kFabricNames.end());
  Node node;
  node.accelerator = std::move(accelerator);
  FigureReader figures(profile, node.figures);
  node.name = figures.plain().required("name").string();
  node.title = figures.plain().string("title", node.name);
  figures.plain().ignore("accelerator");
  node.devices = figures.integer("devices", 1, 1'024);
  node.fabric =
      figures.name("fabric", "fabric", fabrics) == "star" ? Fabric::star : Fabric::full_mesh;
  read_link(figures.section("link"), node);
  if (node.in_switch_reduction && node.fabric != Fabric::star) {
    profile.fail("link.in_switch_reduction is true, but a full_mesh has no switch to reduce in");
  }
  FigureReader host_link = figures.section("host_link");
  node.host_link_bandwidth_bytes_per_s = host_link.number("bandwidth_bytes_per_s");
  host_link.finish();
  if (auto measured = figures.optional_section("measured")) {
    measured->number_or_none("link_bandwidth_bytes_per_s");
    measured->finish();
  }
  figures.finish();
  return node;
}

}  // namespace tradewind::hardware
