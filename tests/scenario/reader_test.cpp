#include "sim/scenario/reader.h"

#include "sim/core/error.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using testing::scenario_with;

TEST_CASE("a resolved scenario reads back as itself") {
  const scenario::Scenario first = scenario_with({{"plan.tp", 4},
                                                  {"plan.pp", 2},
                                                  {"model.num_hidden_layers", 6},
                                                  {"cluster.nodes", 1},
                                                  {"precision", "fp8"},
                                                  {"runtime", "vllm"},
                                                  {"seed", 7}});
  const nlohmann::json resolved = scenario::to_json(first);
  const scenario::Scenario second =
      scenario::read_scenario(json::Node(resolved, "again", ""), testing::catalogue());
  CHECK(scenario::to_json(second) == scenario::to_json(first));
  CHECK(second.model->num_hidden_layers == 6);
  CHECK(second.plan.nano_batch_count() == 2);
}

TEST_CASE("dotted paths open shorthands and make objects on the way") {
  nlohmann::json document = {{"model", "llama-3.1-8b"}, {"cluster", "h100-8"}};
  scenario::set_path(document, "model.num_hidden_layers", 7, "--set");
  scenario::set_path(document, "cluster.override.link.bandwidth_bytes_per_s", 1e9, "--set");
  scenario::set_path(document, "plan.overlap.strategy", "vanilla", "--set");
  CHECK(document["model"] == nlohmann::json({{"base", "llama-3.1-8b"}, {"num_hidden_layers", 7}}));
  CHECK(document["cluster"]["node"] == "h100-8");
  CHECK(document["cluster"]["override"]["link.bandwidth_bytes_per_s"] == 1e9);
  CHECK(document["plan"]["overlap"]["strategy"] == "vanilla");
  CHECK_THROWS_WITH(scenario::set_path(document, "plan..tp", 1, "--set"),
                    Contains("not a dotted path"));
}

TEST_CASE("mistakes in a scenario are one clear line") {
  CHECK_THROWS_WITH(scenario_with({{"plan.tpp", 2}}),
                    Contains("/plan/tpp") && Contains("did you mean \"tp\"?"));
  CHECK_THROWS_WITH(scenario_with({{"plan.tp", "two"}}), Contains("/plan/tp: found \"two\""));
  CHECK_THROWS_WITH(scenario_with({{"workload.batch", 1e300}}), Contains("/workload/batch"));
  CHECK_THROWS_WITH(scenario_with({{"workload.batch", 9223372036854775808ull}}),
                    Contains("/workload/batch"));
  CHECK_THROWS_WITH(scenario_with({{"model", "llama-3.1-71b"}}),
                    Contains("did you mean \"llama-3.1-70b\"?"));
  CHECK_THROWS_WITH(scenario_with({{"cluster", "h100-9"}}), Contains("/cluster"));
  CHECK_THROWS_WITH(scenario_with({{"runtime", "vlm"}}), Contains("did you mean \"vllm\"?"));
  CHECK_THROWS_WITH(scenario_with({{"precision", "fp9"}}), Contains("/precision"));
  CHECK_THROWS_WITH(scenario_with({{"plan.overlap", "magic"}}), Contains("/plan/overlap"));
  CHECK_THROWS_WITH(scenario_with({{"workload.kind", "static"}}),
                    Contains("did you mean \"static_batch\"?"));
}

TEST_CASE("degrees that no layout uses yet are accepted at their neutral values only") {
  CHECK_NOTHROW(scenario_with(
      {{"plan.ep", 1}, {"plan.cp", 1}, {"plan.virtual_stages", 1}, {"plan.zero_stage", 0}}));
  CHECK_THROWS_WITH(scenario_with({{"plan.cp", 2}}), Contains("/plan/cp"));
  CHECK_THROWS_WITH(scenario_with({{"plan.zero_stage", 1}}), Contains("/plan/zero_stage"));
}

TEST_CASE("runtimes build on each other, versions on their family, rings are refused") {
  CHECK(scenario_with({{"runtime", "vllm-eager"}}).runtime->eager_decode);
  CHECK(scenario_with({{"runtime", "vllm@0.0.1-unheard-of"}}).runtime->max_num_batched_tokens ==
        scenario_with({{"runtime", "vllm"}}).runtime->max_num_batched_tokens);
  CHECK(scenario_with({{"runtime.host.step_us", 250}}).runtime->step_host_s == Approx(250e-6));
  CHECK_THROWS_WITH(scenario_with({{"runtime.host.step_ms", 1}}),
                    Contains("did you mean \"step_us\"?"));
}

TEST_CASE("layers that do not divide go where embedding and head leave room, else to the middle") {
  using scenario::stage_layers;
  CHECK(stage_layers(80, 8) == std::vector<int>(8, 10));
  // 126 + embedding + head = 128 = 8 x 16.
  CHECK(stage_layers(126, 8) == std::vector<int>{15, 16, 16, 16, 16, 16, 16, 15});
  CHECK(stage_layers(126, 4) == std::vector<int>{31, 32, 32, 31});
  CHECK(stage_layers(7, 4) == std::vector<int>{2, 2, 2, 1});
  CHECK(stage_layers(9, 4) == std::vector<int>{2, 3, 2, 2});
  CHECK(stage_layers(5, 1) == std::vector<int>{5});
}
