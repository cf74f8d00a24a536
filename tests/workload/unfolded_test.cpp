#include "sim/workload/unfolded.h"

#include <random>

#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using testing::scenario_with;

namespace {

void check_folded_is_full(const scenario::Scenario& scenario) {
  const workload::RunContext context(scenario);
  const auto& batch = std::get<scenario::StaticBatch>(scenario.workload);
  const workload::StaticBatchRun folded = workload::run_folded(context, batch);
  const workload::UnfoldedRun full =
      workload::run_unfolded(context, batch, batch.output_tokens - 1);
  const auto same = [](const workload::Ends& a, const workload::Ends& b) {
    CHECK(a.prefill_done == b.prefill_done);
    CHECK(a.makespan == b.makespan);
    // Sums of the same picoseconds in the same order.
    CHECK(a.first_token_sum_s == b.first_token_sum_s);
    CHECK(a.last_token_sum_s == b.last_token_sum_s);
  };
  same(folded.of(workload::Variant::simulated), full.simulated);
  same(folded.of(workload::Variant::without_communication), full.without_communication);
}

}  // namespace

TEST_CASE("folding ranks, layers and steps changes no picosecond") {
  const std::string runtime = GENERATE(as<std::string>{}, "ideal", "vllm", "vllm-eager");
  const auto [tp, pp] =
      GENERATE(table<int, int>({{1, 1}, {2, 1}, {8, 1}, {1, 2}, {1, 3}, {2, 4}, {4, 2}}));
  const std::string cluster = GENERATE(as<std::string>{}, "mi325x-8", "h100-8");
  INFO(runtime << " tp " << tp << " pp " << pp << " " << cluster);
  check_folded_is_full(scenario_with({{"runtime", runtime},
                                      {"cluster", cluster},
                                      {"plan.tp", tp},
                                      {"plan.pp", pp},
                                      {"model.num_hidden_layers", 7},
                                      {"workload.batch", 5}}));
}

TEST_CASE("folding holds for replicas, chunked prefill, windows and the paper's nano-batches") {
  SECTION("replicas") {
    check_folded_is_full(scenario_with({{"plan.tp", 2}, {"plan.dp", 3}, {"runtime", "vllm"}}));
  }
  SECTION("a prefill longer than the token budget goes in chunks") {
    check_folded_is_full(scenario_with({{"runtime", "vllm"},
                                        {"runtime.max_num_batched_tokens", 100},
                                        {"plan.pp", 2},
                                        {"model.num_hidden_layers", 4},
                                        {"workload.input_tokens", 250}}));
  }
  SECTION("only some layers have a window") {
    check_folded_is_full(scenario_with({{"model",
                                         {{"base", "qwen2-7b"},
                                          {"use_sliding_window", true},
                                          {"max_window_layers", 3},
                                          {"sliding_window", 32},
                                          {"num_hidden_layers", 6}}},
                                        {"plan.pp", 2}}));
  }
  SECTION("paper accounting keeps pp nano-batches of the batch in flight") {
    check_folded_is_full(scenario_with({{"plan.pp", 4},
                                        {"plan.kv_accounting", "paper"},
                                        {"runtime", "paper"},
                                        {"workload.output_tokens", 6}}));
  }
  SECTION("stages on two nodes, with a NIC a device and with one NIC for all") {
    const std::string network = GENERATE(as<std::string>{}, "ib-ndr", "eth-400g-node");
    check_folded_is_full(
        scenario_with({{"cluster", {{"node", "h100-8"}, {"nodes", 2}, {"network", network}}},
                       {"plan.tp", 8},
                       {"plan.pp", 2},
                       {"runtime", "vllm"},
                       {"workload.input_tokens", 3000}}));
  }
  SECTION("more nano-batches than stages, of unequal size") {
    check_folded_is_full(scenario_with(
        {{"plan.pp", 2}, {"plan.nano_batches", 3}, {"workload.batch", 7}, {"runtime", "vllm"}}));
  }
}

TEST_CASE("a random plan is the same folded and full") {
  std::mt19937_64 random(11);
  const auto pick = [&](std::initializer_list<int> values) {
    return *(values.begin() + random() % values.size());
  };
  for (int round = 0; round < 25; ++round) {
    const int tp = pick({1, 2, 4}), pp = pick({1, 2});
    check_folded_is_full(scenario_with({{"plan.tp", tp},
                                        {"plan.pp", pp},
                                        {"plan.nano_batches", pick({1, 2, 3})},
                                        {"runtime", pick({0, 1}) ? "vllm" : "tensorrt-llm"},
                                        {"cluster", pick({0, 1}) ? "h200-8" : "mi300x-8"},
                                        {"model.num_hidden_layers", pick({2, 3, 5})},
                                        {"workload.batch", pick({1, 2, 9})},
                                        {"workload.input_tokens", pick({1, 33, 300})},
                                        {"workload.output_tokens", pick({1, 2, 5})}}));
  }
}

TEST_CASE("a block is the same folded and full") {
  const std::string part = GENERATE(as<std::string>{}, "mlp", "attention", "transformer");
  const scenario::Scenario scenario = scenario_with(
      {{"plan.tp", 4},
       {"runtime", "vllm"},
       {"workload", {{"kind", "block"}, {"block", part}, {"batch", 2}, {"sequence_length", 128}}}});
  const workload::Result folded = workload::run(scenario);
  const workload::Result full = workload::run(scenario, {.full = true});
  CHECK(*folded.metrics.makespan_ms == *full.metrics.makespan_ms);
  CHECK(*folded.metrics.compute_ms == *full.metrics.compute_ms);
}
