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

namespace {

/// Of Llama-3.1-8B (hidden 4096, 32 heads and 8 key/value heads of 128, intermediate 14336,
/// vocabulary 128256) with 4 sequences of 64 tokens prefilled at once: 256 tokens.
scenario::MemoryUse use_of(const std::vector<std::pair<std::string, nlohmann::json>>& plan) {
  std::vector<std::pair<std::string, nlohmann::json>> changes = plan;
  changes.emplace_back("runtime.memory.activations", true);
  return scenario::memory_of(scenario_with(changes)).fullest_stage();
}

}  // namespace

TEST_CASE("sequence parallelism shares out residuals and norms, and gathers before products") {
  const double logits = 4 * 128256 * 4.0 / 8;
  // Residual and normalised input whole, gate and up with their product: 3 x 14336 / 8 (QKV with
  // the attention's output is (2 x 32 + 2 x 8) x 128 / 8, less).
  const double plain = 256 * (2 * 4096 + 3 * 14336 / 8.0) * 2 + logits;
  // Each 1/8, and 4096 gathered beside 2 x 14336 / 8: more than 3 x 14336 / 8.
  const double sharded = 256 * (2 * 4096 / 8.0 + 4096 + 2 * 14336 / 8.0) * 2 + logits;
  CHECK(use_of({{"plan.tp", 8}}).activations_bytes == Approx(plain));
  CHECK(use_of({{"plan.tp", 8}, {"plan.sequence_parallel", true}}).activations_bytes ==
        Approx(sharded));
  const auto weights = [](bool on) {
    return use_of({{"plan.tp", 8}, {"plan.sequence_parallel", on}}).weights_bytes;
  };
  CHECK(weights(true) == weights(false));
  const auto alone = [](bool on) {
    return use_of({{"plan.sequence_parallel", on}}).activations_bytes;
  };
  CHECK(alone(true) == alone(false));
}

TEST_CASE("Ulysses shares out tokens and heads, never weights") {
  const scenario::MemoryUse one = use_of({});
  const scenario::MemoryUse four = use_of({{"plan.ulysses", 4}});
  CHECK(four.weights_bytes == one.weights_bytes);
  CHECK(four.kv_cache_bytes == Approx(one.kv_cache_bytes / 4));
  CHECK(four.activations_bytes == Approx(one.activations_bytes / 4));
  // 16 ranks, 8 key/value heads: each is held twice. 4 sequences end on 4 of the 16 ranks.
  const scenario::MemoryUse sixteen =
      use_of({{"cluster", {{"node", "mi325x-8"}, {"nodes", 2}, {"network", "ib-ndr"}}},
              {"plan.ulysses", 16}});
  CHECK(sixteen.kv_cache_bytes == Approx(one.kv_cache_bytes / 8));
  CHECK(sixteen.activations_bytes ==
        Approx(256 / 16 * (2 * 4096 + 3 * 14336) * 2 + 1 * 128256 * 4.0));
}

TEST_CASE("a Ulysses group holds the larger batch that its shared cache leaves room for") {
  const auto most = [](int ulysses) {
    return scenario::memory_of(scenario_with({{"plan.ulysses", ulysses},
                                              {"runtime.memory.activations", false},
                                              {"workload.input_tokens", 4000}}))
        .max_batch;
  };
  // Without activations only the cache grows: four devices of equal room hold four times as many
  // sequences, and up to three more from what one had left over.
  CHECK(most(4) >= 4 * most(1));
  CHECK(most(4) <= 4 * most(1) + 3);
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
