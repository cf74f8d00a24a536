#include "sim/scenario/memory.h"

#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using testing::scenario_with;

namespace {

/// The largest power of two that fits, as the deployment paper counts batches.
std::int64_t power_of_two(std::int64_t batch) {
  std::int64_t power = 1;
  while (power * 2 <= batch) power *= 2;
  return power;
}

scenario::Scenario paper(const std::string& model, const std::string& cluster,
                         const std::string& precision, int pp, int input, int output) {
  return scenario_with({{"model", model},
                        {"cluster", cluster},
                        {"precision", precision},
                        {"runtime", "paper"},
                        {"plan.pp", pp},
                        {"plan.kv_accounting", "paper"},
                        {"workload.input_tokens", input},
                        {"workload.output_tokens", output}});
}

}  // namespace

TEST_CASE("batch limits of the deployment paper come out exactly") {
  // arXiv 2603.05692 section 4.2 as restated: 405B fp4 on MI355X at 10,112 tokens, 70B fp8 on
  // MI325X.
  const auto limit = [](const scenario::Scenario& s) {
    return power_of_two(scenario::memory_of(s).max_batch);
  };
  CHECK(limit(paper("llama-3.1-405b", "mi355x-8", "fp4", 1, 9428, 684)) == 32);
  CHECK(limit(paper("llama-3.1-405b", "mi355x-8", "fp4", 4, 9428, 684)) == 256);
  CHECK(limit(paper("llama-3.1-405b", "mi355x-8", "fp4", 8, 9428, 684)) == 512);
  CHECK(limit(paper("llama-3.1-70b", "mi325x-8", "fp8", 8, 9092, 208)) == 1024);
}

TEST_CASE("the largest batch fits and the next one does not") {
  const int pp = GENERATE(1, 2, 4);
  const std::string runtime = GENERATE(as<std::string>{}, "ideal", "vllm");
  const auto with_batch = [&](std::int64_t batch) {
    return scenario::memory_of(scenario_with({{"runtime", runtime},
                                              {"plan.pp", pp},
                                              {"workload.batch", batch},
                                              {"workload.input_tokens", 4000}}));
  };
  const std::int64_t most = with_batch(1).max_batch;
  REQUIRE(most > 1);
  CHECK(with_batch(most).fullest_stage().fits());
  CHECK_FALSE(with_batch(most + 1).fullest_stage().fits());
}

TEST_CASE("weights and cache per device fall with tp and pp") {
  const auto use = [](int tp, int pp) {
    return scenario::memory_of(scenario_with({{"plan.tp", tp}, {"plan.pp", pp}})).fullest_stage();
  };
  CHECK(use(2, 1).weights_bytes < use(1, 1).weights_bytes);
  CHECK(use(1, 2).weights_bytes < use(1, 1).weights_bytes);
  CHECK(use(2, 1).kv_cache_bytes == Approx(use(1, 1).kv_cache_bytes / 2));
  // Eight KV heads of the model on 8 devices: one each.
  CHECK(use(8, 1).kv_cache_bytes == Approx(use(1, 1).kv_cache_bytes / 8));
}

TEST_CASE("a plan that can't be laid out says why") {
  const auto reason = [](const std::vector<std::pair<std::string, nlohmann::json>>& changes) {
    return scenario::structural_reason(scenario_with(changes));
  };
  CHECK(reason({}).empty());
  CHECK_THAT(reason({{"plan.tp", 16}}), Contains("needs 16 devices"));
  CHECK_THAT(reason({{"plan.tp", 3}}), Contains("does not divide the 32 attention heads"));
  CHECK_THAT(reason({{"plan.pp", 8}, {"model.num_hidden_layers", 4}}), Contains("more than the 4"));
  CHECK_THAT(reason({{"precision", "fp4"}}), Contains("no fp4 matrix arithmetic"));
  CHECK_THAT(reason({{"workload.input_tokens", 200000}}), Contains("131072 positions"));
}

TEST_CASE("out of memory names the terms and the batch that would fit") {
  const scenario::Scenario scenario =
      scenario_with({{"model", "llama-3.1-405b"}, {"workload.batch", 100000}});
  const scenario::MemoryReport memory = scenario::memory_of(scenario);
  CHECK_THAT(scenario::memory_reason(scenario, memory),
             Contains("out of memory") && Contains("weights 811") && Contains("largest batch"));
}
