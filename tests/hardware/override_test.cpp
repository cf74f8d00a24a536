// `override`: any figure by its dotted path, checked like the profile's own.
#include "tests/hardware/support.h"

namespace tradewind::hardware {
namespace {

using test::cluster_of;
using test::DataFolder;
using test::error_of;

TEST_CASE("an override changes one figure and marks it as assumed") {
  const Cluster cluster = cluster_of(
      R"({"node": "h100-8", "nodes": 4, "network": "ib-ndr",
          "override": {"link.bandwidth_bytes_per_s": 6.4e10}})");
  CHECK(cluster.node.link_bandwidth_bytes_per_s == 6.4e10);
  const Figure& figure = cluster.node.figures.at("link.bandwidth_bytes_per_s");
  CHECK(figure.value == 6.4e10);
  CHECK(figure.kind == "assumed");
  CHECK(figure.source == "override in scenario.json");
  CHECK(cluster.node.link_latency_s == cluster_of(R"("h100-8")").node.link_latency_s);
}

TEST_CASE("accelerator and network figures are reached by their prefix") {
  const Cluster cluster = cluster_of(
      R"({"node": "h100-8", "nodes": 2, "network": "ib-ndr",
          "override": {"accelerator.hbm_bandwidth_bytes_per_s": 4e12,
                       "accelerator.peak_flops_per_s.fp4": 4e15,
                       "network.nics_per_node": 4}})");
  CHECK(cluster.accelerator().hbm_bandwidth_bytes_per_s == 4e12);
  CHECK(cluster.accelerator().peak(DataType::fp4) == 4e15);
  CHECK(cluster.network->bandwidth_per_node_bytes_per_s == 4 * 50e9);
}

TEST_CASE("a figure that the profile leaves out can be given, such as a price") {
  CHECK(cluster_of(R"("mi355x-8")").accelerator().price_usd_per_hour == 0);
  CHECK(cluster_of(R"({"node": "mi355x-8", "override": {"accelerator.price_usd_per_hour": 2.5}})")
            .accelerator()
            .price_usd_per_hour == 2.5);
}

TEST_CASE("every figure that a cluster lists can be overridden with its own value") {
  const Cluster cluster = cluster_of(R"({"node": "mi355x-8", "nodes": 2, "network": "ib-hdr"})");
  const auto as_json = [](const Figure& figure) -> nlohmann::json {
    if (figure.text == "none") return nullptr;
    if (figure.text == "true" || figure.text == "false") return figure.text == "true";
    const bool is_number = figure.value != 0 || figure.text == "0";
    return is_number ? nlohmann::json(figure.value) : nlohmann::json(figure.text);
  };
  nlohmann::json overrides = nlohmann::json::object();
  for (const auto& [path, figure] : all_figures(cluster)) {
    if (path != "accelerator.kernels_from") overrides[path] = as_json(figure);
  }
  const nlohmann::json text = {
      {"node", "mi355x-8"}, {"nodes", 2}, {"network", "ib-hdr"}, {"override", overrides}};
  const Cluster same = cluster_of(text.dump());
  CHECK(all_figures(same).size() == all_figures(cluster).size());
  CHECK(same.accelerator().peak_flops_per_s == cluster.accelerator().peak_flops_per_s);
}

TEST_CASE("a coefficient is a figure too") {
  const DataFolder data("coefficient");
  nlohmann::json device = DataFolder::read_shipped("accelerators/h100-sxm.json");
  device["kernels"] = nlohmann::json::parse(
      R"([{"op": "gemm", "library": "vllm", "dtype": "fp8-block", "kind": "fitted",
           "source": "a test", "coefficients": {"efficiency": 0.8}}])");
  data.write("accelerators/h100-sxm.json", device);
  const Cluster cluster = cluster_of(
      R"({"node": "h100-8",
          "override": {"accelerator.kernels.gemm.vllm.fp8-block.efficiency": 0.5}})",
      data.root());
  REQUIRE(cluster.accelerator().coefficients.size() == 1);
  CHECK(cluster.accelerator().coefficients[0].values.at("efficiency") == 0.5);
  CHECK(cluster.accelerator().coefficients[0].provenance == Provenance::assumed);
}

std::string unknown(const std::string& path, const std::string& nearest) {
  return "scenario.json: /cluster/override/" + path + ": unknown figure \"" + path + "\"" +
         (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?") +
         " (tradewind show hardware h100-8 lists them)";
}

TEST_CASE("an unknown path is answered with the nearest figure") {
  const auto error_for = [](const std::string& path) {
    return error_of(
        [&] { cluster_of(R"({"node": "h100-8", "override": {")" + path + R"(": 1}})"); });
  };
  CHECK(error_for("link.bandwith_bytes_per_s") ==
        unknown("link.bandwith_bytes_per_s", "link.bandwidth_bytes_per_s"));
  CHECK(error_for("accelerator.l2_byte") == unknown("accelerator.l2_byte", "accelerator.l2_bytes"));
  CHECK(error_for("nonsense_without_a_neighbour") == unknown("nonsense_without_a_neighbour", ""));
  // Sections, plain members and the insides of figures aren't figures; a network that isn't there
  // has none.
  CHECK(error_for("link") == unknown("link", "link.bandwidth_bytes_per_s"));
  CHECK(error_for("name") == unknown("name", ""));
  CHECK(error_for("devices.value") == unknown("devices.value", ""));
  CHECK(error_for("network.latency_s") == unknown("network.latency_s", ""));
  CHECK(error_for("accelerator.kernels.gemm.vllm.bf16.nothing").find("unknown figure") !=
        std::string::npos);
  CHECK(error_for("").find("unknown figure \"\"") != std::string::npos);
}

TEST_CASE("a value of the wrong kind is refused at the override, not in the profile") {
  CHECK(error_of([] {
          cluster_of(R"({"node": "h100-8", "override": {"link.bandwidth_bytes_per_s": "fast"}})");
        }) ==
        "scenario.json: /cluster/override/link.bandwidth_bytes_per_s: found \"fast\", expected a "
        "positive "
        "number");
  CHECK(error_of([] { cluster_of(R"({"node": "h100-8", "override": {"devices": 0}})"); }) ==
        "scenario.json: /cluster/override/devices: found 0, expected an integer from 1 to 1024");
}

}  // namespace
}  // namespace tradewind::hardware
