#include "sim/scenario/block_layer.h"
#include "sim/scenario/memory.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using testing::scenario_with;

namespace {

scenario::MemoryUse use_of(const std::vector<std::pair<std::string, nlohmann::json>>& changes) {
  return scenario::memory_of(scenario_with(changes)).fullest_stage();
}

/// Bytes that the 8B models keep for a sequence in one layer: 128 states and 3 earlier inputs.
constexpr double kLayerState = (8192 * 128 + (8192 + 2 * 8 * 128) * 3) * 2;

}  // namespace

TEST_CASE("a Mamba model keeps states of one size however long its sequences are") {
  const auto cache = [](int input_tokens) {
    return use_of({{"model", "mamba2-8b"}, {"workload.input_tokens", input_tokens}}).kv_cache_bytes;
  };
  CHECK(cache(10) == 4 * 56 * kLayerState);
  CHECK(cache(100000) == cache(10));
  CHECK(use_of({{"model", "mamba2-8b"}, {"plan.tp", 8}}).kv_cache_bytes == cache(10) / 8);
}

TEST_CASE("without attention there is no KV cache to count in tokens, but a largest batch") {
  const scenario::MemoryReport memory =
      scenario::memory_of(scenario_with({{"model", "mamba2-8b"}}));
  CHECK(memory.kv_cache_capacity_tokens == 0);
  CHECK(memory.max_batch > 1);
}

TEST_CASE("a hybrid holds keys of its attention layers and states of its Mamba layers") {
  // 68 tokens of 4 sequences in 4 layers of 8 heads of 128; 24 states.
  const double keys = 4 * 68 * 4 * 2 * 8 * 128 * 2;
  CHECK(use_of({{"model", "nemotron-h-8b"}}).kv_cache_bytes == keys + 4 * 24 * kLayerState);
  // Four stages of 13 layers, from "M-M-M-M*-M-M-": one attention and six Mamba layers at most.
  const scenario::MemoryReport memory =
      scenario::memory_of(scenario_with({{"model", "nemotron-h-8b"}, {"plan.pp", 4}}));
  double all = 0;
  for (const scenario::MemoryUse& stage : memory.stages) all += stage.kv_cache_bytes;
  CHECK(all == keys + 4 * 24 * kLayerState);
}

TEST_CASE("plans that Mamba layers can't take say why") {
  const auto reason = [](const std::vector<std::pair<std::string, nlohmann::json>>& changes) {
    return scenario::structural_reason(scenario_with(changes));
  };
  const auto block = [](const char* part, const char* pass) {
    return nlohmann::json{
        {"kind", "block"}, {"block", part}, {"batch", 1}, {"sequence_length", 64}, {"pass", pass}};
  };
  CHECK(reason({{"model", "mamba2-8b"}, {"plan.tp", 8}}).empty());
  CHECK(reason({{"model", "mamba2-2.7b"}, {"plan.tp", 8}}).empty());
  CHECK_THAT(reason({{"model", "mamba2-2.7b"}, {"plan.tp", 3}}),
             Contains("tp 3 does not divide the 80 Mamba heads"));
  const nlohmann::json odd = {{"base", "mamba2-2.7b"}, {"n_groups", 5}};
  CHECK_THAT(reason({{"model", odd}, {"plan.tp", 4}}),
             Contains("tp 4 neither divides nor is a multiple of the 5 Mamba groups"));
  CHECK_THAT(reason({{"model", "nemotron-h-8b"}, {"plan.ulysses", 4}}), Contains("recur"));
  CHECK_THAT(reason({{"model", "mamba2-8b"}, {"workload", block("attention", "forward")}}),
             Contains("mamba2-8b has no layer with the block"));
  CHECK_THAT(reason({{"model", "llama-3.1-8b"}, {"workload", block("mamba", "forward")}}),
             Contains("llama-3.1-8b has no layer with the block"));
  CHECK_THAT(reason({{"model", "mamba2-8b"}, {"workload", block("mamba", "forward_backward")}}),
             Contains("a Mamba block has a forward pass only"));
}

TEST_CASE("a block is taken from the first layer that has it") {
  using scenario::BlockPart;
  const scenario::Scenario hybrid = scenario_with({{"model", "nemotron-h-8b"}});
  CHECK(scenario::layer_of_block(*hybrid.model, BlockPart::mamba) == 0);
  CHECK(scenario::layer_of_block(*hybrid.model, BlockPart::mlp) == 1);
  CHECK(scenario::layer_of_block(*hybrid.model, BlockPart::attention) == 7);
  CHECK_FALSE(scenario::layer_of_block(*hybrid.model, BlockPart::transformer));
}
