#include <nlohmann/json.hpp>

#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

namespace tradewind::workload {
namespace {

/// Llama 2 70B on 32 nodes: TP8, four stages, eight replicas.
nlohmann::json scenario_json() {
  return {{"model", "llama-2-70b"},
          {"cluster", {{"node", "h100-8"}, {"nodes", 32}, {"network", "ib-ndr"}}},
          {"runtime", "megatron"},
          {"plan",
           {{"tp", 8},
            {"pp", 4},
            {"dp", 8},
            {"sequence_parallel", true},
            {"zero_stage", 1},
            {"memory_check", "report"}}},
          {"workload",
           {{"kind", "training"},
            {"sequence_length", 4096},
            {"micro_batch", 1},
            {"global_batch", 64}}}};
}

double step_ms(const nlohmann::json& document) {
  const scenario::Scenario scenario =
      scenario::read_scenario(json::Node(document, "test", ""), testing::catalogue());
  return *run(scenario).metrics.makespan_ms;
}

nlohmann::json with_spine(nlohmann::json json, double oversubscription, int nodes_per_leaf) {
  json["cluster"]["override"] = {{"network.topology.oversubscription", oversubscription},
                                 {"network.topology.nodes_per_leaf", nodes_per_leaf}};
  return json;
}

}  // namespace

TEST_CASE("an oversubscribed spine costs time, and only where traffic crosses it") {
  const double full = step_ms(scenario_json());
  CHECK(step_ms(with_spine(scenario_json(), 1, 4)) == full);
  CHECK(step_ms(with_spine(scenario_json(), 8, 4)) > full);
  CHECK(step_ms(with_spine(scenario_json(), 2, 1'000'000)) == full);
}

TEST_CASE("the order of placement decides which traffic stays near") {
  // One stage of TP8 fills a node. With the replicas outside, neighbours of the data-parallel group
  // stand four nodes apart, a leaf of four; with the stages outside they are on the same leaf, and
  // the stages eight nodes apart.
  nlohmann::json inside = with_spine(scenario_json(), 8, 4);
  inside["plan"]["placement"] = "tp-cp-pp-dp";
  nlohmann::json outside = with_spine(scenario_json(), 8, 4);
  outside["plan"]["placement"] = "tp-cp-dp-pp";
  CHECK(step_ms(inside) > step_ms(outside));
  // Without a spine that binds, the ring is as long.
  inside = with_spine(inside, 1, 4), outside = with_spine(outside, 1, 4);
  CHECK(step_ms(inside) == step_ms(outside));
}

}  // namespace tradewind::workload
