// The shipped data: complete, sourced, and consistent with the arithmetic of its own datasheets.
#include <algorithm>
#include <vector>

#include "tests/hardware/support.h"

namespace tradewind::hardware {
namespace {

using test::shipped;

void check_sourced(const std::string& profile, const Figures& figures) {
  CHECK_FALSE(figures.empty());
  for (const auto& [path, figure] : figures) {
    INFO(profile << " " << path);
    CHECK(std::find(kFigureKinds.begin(), kFigureKinds.end(), figure.kind) != kFigureKinds.end());
    CHECK(figure.source.size() > 5);
    CHECK_FALSE(figure.text.empty());
  }
}

TEST_CASE("every accelerator, node and network that interface.md names is shipped") {
  using Names = std::vector<std::string>;
  const Names accelerators = profile_names(ProfileKind::accelerator, shipped());
  const Names nodes = profile_names(ProfileKind::node, shipped());
  for (const char* name : {"mi300x", "mi325x", "mi350x", "mi355x", "a100-80-sxm", "a100-40-sxm",
                           "a100-80-pcie", "h100-sxm", "h200-sxm", "b200-sxm"}) {
    CHECK(std::count(accelerators.begin(), accelerators.end(), name) == 1);
  }
  for (const char* name : {"mi300x-8", "mi325x-8", "mi350x-8", "mi355x-8", "a100-8", "a100-40-4",
                           "a100-pcie-8", "h100-8", "h200-8", "b200-8"}) {
    CHECK(std::count(nodes.begin(), nodes.end(), name) == 1);
  }
  CHECK(profile_names(ProfileKind::network, shipped()) ==
        Names{"eth-400g-node", "ib-4x200g", "ib-hdr", "ib-ndr", "opa-4x100g", "roce-4x100g",
              "roce-8x200g", "roce-8x400g"});
}

TEST_CASE("every shipped profile loads under its file's name and every figure says who says so") {
  for (const std::string& name : profile_names(ProfileKind::accelerator, shipped())) {
    const Accelerator accelerator = load_accelerator({name, "", ""}, shipped());
    CHECK(accelerator.name == name);
    check_sourced(name, accelerator.figures);
  }
  for (const std::string& name : profile_names(ProfileKind::node, shipped())) {
    const Node node = load_node({name, "", ""}, shipped());
    CHECK(node.name == name);
    check_sourced(name, node.figures);
  }
  for (const std::string& name : profile_names(ProfileKind::network, shipped())) {
    const Network network = load_network({name, "", ""}, shipped());
    CHECK(network.name == name);
    check_sourced(name, network.figures);
  }
}

TEST_CASE("a peak is compute units times FLOP a clock times clock") {
  for (const std::string& name : profile_names(ProfileKind::accelerator, shipped())) {
    const Accelerator device = load_accelerator({name, "", ""}, shipped());
    for (std::size_t i = 0; i < kDataTypeCount; ++i) {
      const double rate = device.flops_per_clock_per_compute_unit[i];
      if (rate == 0) continue;
      INFO(name << " " << kDataTypes[i].name);
      // Vendors print three digits, AMD's CDNA4 peaks two ("5 PFLOP/s" for 5.03): 1 %.
      CHECK(device.compute_units * rate * device.clock_hz ==
            Approx(device.peak_flops_per_s[i]).epsilon(0.01));
    }
  }
}

TEST_CASE("a driver shows gibibytes where the box says gigabytes, less what the firmware keeps") {
  for (const std::string& name : profile_names(ProfileKind::accelerator, shipped())) {
    const Accelerator device = load_accelerator({name, "", ""}, shipped());
    INFO(name);
    CHECK(device.hbm_capacity_bytes > device.hbm_nominal_bytes);
    // 2^30 / 1e9, and half a digit in which the capacities are typed.
    CHECK(device.hbm_capacity_bytes <= device.hbm_nominal_bytes * 1.0738);
  }
}

TEST_CASE("faster formats are never slower and caches are ordered") {
  for (const std::string& name : profile_names(ProfileKind::accelerator, shipped())) {
    const Accelerator device = load_accelerator({name, "", ""}, shipped());
    INFO(name);
    CHECK(device.peak(DataType::bf16) == device.peak(DataType::fp16));
    CHECK(device.peak(DataType::bf16) > device.peak(DataType::fp32));
    if (device.peak(DataType::fp8) > 0) {
      // Twice the rate in every vendor's table; both are printed rounded, MI355X to two digits.
      CHECK(device.peak(DataType::fp8) == Approx(2 * device.peak(DataType::bf16)).epsilon(0.01));
    }
    CHECK(device.last_level_cache_bytes >= device.l2_bytes);
    CHECK(device.launch_graph_s <= device.launch_eager_s);
  }
}

TEST_CASE("the published bandwidth of one device is the sum of its links") {
  // AMD: 7 links of 64 GB/s; 7 of 76.5. NVIDIA: 900 GB/s both ways of NVLink 4, 600 of NVLink 3.
  const Node mi325x = load_node({"mi325x-8", "", ""}, shipped());
  CHECK((mi325x.devices - 1) * mi325x.link_bandwidth_bytes_per_s == 448e9);
  const Node mi355x = load_node({"mi355x-8", "", ""}, shipped());
  CHECK((mi355x.devices - 1) * mi355x.link_bandwidth_bytes_per_s == 535.5e9);
  CHECK(2 * load_node({"h100-8", "", ""}, shipped()).link_bandwidth_bytes_per_s == 900e9);
  const Node polaris = load_node({"a100-40-4", "", ""}, shipped());
  CHECK(2 * (polaris.devices - 1) * polaris.link_bandwidth_bytes_per_s == 600e9);
}

TEST_CASE("a network's name tells its rate") {
  struct Row {
    const char* name;
    double gigabits_a_node;
  };
  for (const auto& [name, gigabits] :
       {Row{"ib-hdr", 1600}, Row{"ib-ndr", 3200}, Row{"ib-4x200g", 800}, Row{"roce-8x200g", 1600},
        Row{"roce-8x400g", 3200}, Row{"roce-4x100g", 400}, Row{"opa-4x100g", 400},
        Row{"eth-400g-node", 400}}) {
    INFO(name);
    CHECK(load_network({name, "", ""}, shipped()).bandwidth_per_node_bytes_per_s * 8 ==
          gigabits * 1e9);
  }
}

}  // namespace
}  // namespace tradewind::hardware
