// A scenario's `cluster` in all its forms, and what is said when it is wrong.
#include "tests/hardware/support.h"

namespace tradewind::hardware {
namespace {

using test::cluster_of;
using test::DataFolder;
using test::error_of;
using test::shipped;

TEST_CASE("a name is one node of that name") {
  const Cluster cluster = cluster_of(R"("h100-8")");
  CHECK(cluster.name == "h100-8");
  CHECK(cluster.devices() == 8);
  CHECK(cluster.accelerator().name == "h100-sxm");
  CHECK(cluster.node.in_switch_reduction);
  CHECK_FALSE(cluster.network);
}

TEST_CASE("the object form joins nodes by a network") {
  const Cluster cluster = cluster_of(R"({"node": "h100-8", "nodes": 4, "network": "ib-ndr"})");
  CHECK(cluster.name == "4 x h100-8 over ib-ndr");
  CHECK(cluster.devices() == 32);
  CHECK(cluster.network->bandwidth_per_node_bytes_per_s == 400e9);
  CHECK(cluster.network->nics_per_node == 8);
}

TEST_CASE("a path leads to a node's profile or to a file with the object form") {
  const DataFolder data("paths");
  data.write("mine.json", {{"node", "h100-8"}, {"nodes", 2}, {"network", "ib-ndr"}});
  const std::string root = data.root().string() + "/hardware/";
  CHECK(cluster_of('"' + root + "nodes/mi300x-8.json\"", data.root()).name == "mi300x-8");
  CHECK(cluster_of('"' + root + "mine.json\"", data.root()).devices() == 16);
}

TEST_CASE("a relative path counts from the file that names it when the current folder has none") {
  const DataFolder data("relative");
  nlohmann::json node = DataFolder::read_shipped("nodes/h100-8.json");
  node["accelerator"] = "../accelerators/mi300x.json";
  data.write("nodes/odd.json", node);
  CHECK(cluster_of(R"("odd")", data.root()).accelerator().name == "mi300x");
}

TEST_CASE("`accelerator` puts another profile into the node") {
  const Cluster cluster = cluster_of(R"({"node": "h100-8", "accelerator": "h200-sxm"})");
  CHECK(cluster.node.name == "h100-8");
  CHECK(cluster.accelerator().name == "h200-sxm");
}

TEST_CASE("an unknown name is answered with the nearest and the known ones") {
  const DataFolder data("names");
  CHECK(error_of([&] { cluster_of(R"("h100-9")", data.root()); }) ==
        "scenario.json: /cluster: unknown node \"h100-9\"; did you mean \"h100-8\"? "
        "(known: h100-8, mi300x-8)");
  CHECK(error_of([&] {
          cluster_of(R"({"node": "h100-8", "nodes": 2, "network": "ib-mdr"})", data.root());
        }) ==
        "scenario.json: /cluster/network: unknown network \"ib-mdr\"; did you mean \"ib-ndr\"? "
        "(known: ib-ndr)");
  CHECK(
      error_of([&] {
        load_accelerator({"mi300", "", ""}, data.root());
      }) ==
      "unknown accelerator \"mi300\"; did you mean \"mi300x\"? (known: h100-sxm, mi300x, mi355x)");
}

TEST_CASE("a data folder without hardware says which folder was looked into") {
  CHECK(error_of([] { cluster_of(R"("h100-8")", "nowhere"); }) ==
        "scenario.json: /cluster: no node profiles in nowhere/hardware/nodes");
}

TEST_CASE("a path without a file is named") {
  CHECK(error_of([] { cluster_of(R"("mine/h100.json")"); }) ==
        "scenario.json: /cluster: no file \"mine/h100.json\"");
}

TEST_CASE("unknown members, wrong types and missing networks are refused") {
  CHECK(error_of([] { cluster_of(R"({"node": "h100-8", "node_count": 4})"); }) ==
        "scenario.json: /cluster/node_count: unknown key \"node_count\" "
        "(known: accelerator, device_speeds, network, node, nodes, override)");
  CHECK(error_of([] { cluster_of(R"({"node": "h100-8", "nodse": 4})"); }) ==
        "scenario.json: /cluster/nodse: unknown key \"nodse\"; did you mean \"node\"? "
        "(known: accelerator, device_speeds, network, node, nodes, override)");
  CHECK(error_of([] { cluster_of(R"({"node": "h100-8", "nodes": 4})"); }) ==
        "scenario.json: /cluster: needs a member \"network\" to join 4 nodes");
  CHECK(error_of([] { cluster_of(R"({"node": "h100-8", "nodes": 0})"); }) ==
        "scenario.json: /cluster/nodes: found 0, expected an integer from 1 to 100000");
  CHECK(error_of([] { cluster_of("8"); }) ==
        "scenario.json: /cluster: found 8, expected the name of a node, a path or an object");
  CHECK(error_of([] { cluster_of("{}"); }) == "scenario.json: /cluster: needs a member \"node\"");
}

TEST_CASE("a profile is read strictly, with the place of the fault") {
  const DataFolder data("strict");
  const std::string file = (data.root() / "hardware/nodes/h100-8.json").string();
  nlohmann::json node = DataFolder::read_shipped("nodes/h100-8.json");
  const auto error_with = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json changed = node;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    data.write("nodes/h100-8.json", changed);
    return error_of([&] { cluster_of(R"("h100-8")", data.root()); });
  };
  CHECK(error_with("/link/latencys", 1) ==
        file +
            ": /link/latencys: unknown key \"latencys\"; did you mean \"latency_s\"? "
            "(known: bandwidth_bytes_per_s, in_switch_reduction, latency_s)");
  CHECK(error_with("/link/latency_s/value", -1) ==
        file + ": /link/latency_s/value: found -1, expected a number of at least 0");
  CHECK(error_with("/link/latency_s/kind", "measure") ==
        file +
            ": /link/latency_s/kind: unknown kind \"measure\"; did you mean \"measured\"? "
            "(known: datasheet, measured, secondary, derived, fitted, assumed)");
  CHECK(error_with("/link/latency_s/source", "") ==
        file + ": /link/latency_s/source: found \"\", expected who says so");
  CHECK(error_with("/link/latency_s", 1e-6) ==
        file + ": /link/latency_s: found 1e-06, expected an object");
  CHECK(error_with("/fabric/value", "mesh").find("unknown fabric \"mesh\"") != std::string::npos);
}

TEST_CASE("a mesh can't reduce in a switch it doesn't have") {
  CHECK(error_of([] {
          cluster_of(R"({"node": "mi300x-8", "override": {"link.in_switch_reduction": true}})");
        }) ==
        "scenario.json: /cluster/override/link.in_switch_reduction: link.in_switch_reduction is "
        "true, but a "
        "full_mesh has no switch to reduce in");
}

TEST_CASE("an accelerator's profile isn't a cluster") {
  const DataFolder data("accelerator");
  const std::string path = data.root().string() + "/hardware/accelerators/mi300x.json";
  CHECK(error_of([&] { cluster_of('"' + path + '"', data.root()); }) ==
        path +
            ": /: is an accelerator's profile, expected a node's; "
            "give { \"node\": NAME, \"accelerator\": this file }");
}

}  // namespace
}  // namespace tradewind::hardware
