// What communication costs the computation beside it, as a profile says.
#include "tests/hardware/support.h"

namespace tradewind::hardware {
namespace {

using test::cluster_of;
using test::DataFolder;
using test::error_of;
using test::shipped;

Contention contention_of(const std::string& name) {
  return load_accelerator({name, "", ""}, shipped()).contention;
}

TEST_CASE("every shipped part has copy engines that reach peers and start later than a link") {
  for (const std::string& name : profile_names(ProfileKind::accelerator, shipped())) {
    INFO(name);
    const Contention contention = contention_of(name);
    CHECK(contention.copy_engine_efficiency > 0.5);
    CHECK(contention.copy_engine_efficiency < 1);
    CHECK(contention.copy_engine_start_s > 1e-6);
    CHECK(contention.unprioritised_weight < contention.prioritised_weight);
  }
}

TEST_CASE("copy engines of MI300X take 32 % less power than its collective kernels") {
  // arXiv 2511.06605, abstract.
  const Contention contention = contention_of("mi300x");
  CHECK(contention.collective_power_share > 0);
  CHECK(contention.copy_engine_power_share / contention.collective_power_share == Approx(0.68));
}

TEST_CASE("no source gives NVIDIA's collectives a share of the power") {
  CHECK(contention_of("h100-sxm").collective_power_share == 0);
  CHECK(contention_of("h100-sxm").copy_engine_power_share == 0);
}

TEST_CASE("figures of contention are overridden by their path") {
  const Cluster cluster = cluster_of(
      R"({"node": "mi300x-8",
          "override": {"accelerator.contention.copy_engine_efficiency": 0,
                       "accelerator.contention.collective_power_share": 0.25}})");
  CHECK(cluster.accelerator().contention.copy_engine_efficiency == 0);
  CHECK(cluster.accelerator().contention.collective_power_share == 0.25);
  CHECK(cluster.accelerator().contention.copy_engine_power_share ==
        contention_of("mi300x").copy_engine_power_share);
  CHECK(error_of([] {
          cluster_of(R"({"node": "mi300x-8",
                         "override": {"accelerator.contention.collective_power_share": 1.5}})");
        }).find("override/accelerator.contention.collective_power_share") != std::string::npos);
}

TEST_CASE("a profile may leave contention out, but not in part") {
  const DataFolder data("contention");
  nlohmann::json device = DataFolder::read_shipped("accelerators/mi300x.json");
  device["contention"].erase("unprioritised_weight");
  data.write("accelerators/mi300x.json", device);
  CHECK(error_of([&] {
          load_accelerator({"mi300x", "", ""}, data.root());
        }).find("unprioritised_weight") != std::string::npos);
  device.erase("contention");
  data.write("accelerators/mi300x.json", device);
  const Contention none = load_accelerator({"mi300x", "", ""}, data.root()).contention;
  CHECK(none.copy_engine_efficiency == 0);
  CHECK(none.collective_power_share == 0);
}

}  // namespace
}  // namespace tradewind::hardware
