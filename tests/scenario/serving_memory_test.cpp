#include <cmath>

#include "sim/scenario/memory.h"
#include "sim/scenario/pass_tokens.h"
#include "sim/scenario/step_bounds.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using testing::scenario_with;

namespace {

using Changes = std::vector<std::pair<std::string, nlohmann::json>>;

/// 1000 requests of 1024 + 256 tokens to Llama-3.1-8B.
scenario::Scenario serving(const Changes& changes = {}) {
  scenario::Scenario scenario = scenario_with(changes);
  scenario::Serving workload;
  workload.requests.count = 1000;
  workload.requests.input.mean = 1024;
  workload.requests.output.mean = 256;
  workload.scheduler.block_size = 16;
  scenario.workload = workload;
  return scenario;
}

scenario::Serving& workload_of(scenario::Scenario& scenario) {
  return std::get<scenario::Serving>(scenario.workload);
}

}  // namespace

TEST_CASE("a serving engine fills what is left of a device with whole blocks of KV cache") {
  const scenario::MemoryReport memory = memory_of(serving());
  const scenario::MemoryUse& use = memory.fullest_stage();
  // 2 (key, value) x 32 layers x 8 heads x 128 x 2 bytes; `ideal` counts nothing but weights.
  constexpr double kTokenBytes = 2.0 * 32 * 8 * 128 * 2;
  const double blocks = std::floor((use.capacity_bytes - use.weights_bytes) / kTokenBytes / 16);
  CHECK(memory.kv_cache_capacity_tokens == static_cast<std::int64_t>(16 * blocks));
  CHECK(use.kv_cache_bytes ==
        Approx(static_cast<double>(memory.kv_cache_capacity_tokens) * kTokenBytes));
  CHECK(use.fits());
  CHECK(memory_reason(serving(), memory).empty());
}

TEST_CASE("the scheduler's options come before the runtime's, and whose default is vLLM's") {
  scenario::Scenario scenario = serving({{"runtime", "vllm"}});
  workload_of(scenario).scheduler = {};
  const scenario::StepBounds limits = step_bounds(scenario, workload_of(scenario));
  CHECK(limits.max_num_seqs == 256);
  CHECK(limits.max_num_batched_tokens == scenario.runtime->max_num_batched_tokens);
  CHECK(limits.gpu_memory_utilization == scenario.runtime->gpu_memory_utilization);
  CHECK(limits.block_size == scenario.runtime->kv_block_tokens);
  const double reserved = memory_of(scenario).fullest_stage().reserved_bytes;
  workload_of(scenario).scheduler = {"", 32, 512, {}, 0.5, 128, {}, {}};
  const scenario::StepBounds given = step_bounds(scenario, workload_of(scenario));
  CHECK(given.max_num_seqs == 32);
  CHECK(given.max_num_batched_tokens == 512);
  CHECK(given.block_size == 128);
  const scenario::MemoryReport memory = memory_of(scenario);
  const scenario::MemoryUse& use = memory.fullest_stage();
  CHECK(use.reserved_bytes - reserved ==
        Approx((scenario.runtime->gpu_memory_utilization - 0.5) * use.capacity_bytes));
  CHECK(memory.kv_cache_capacity_tokens % 128 == 0);
}

TEST_CASE("a balanced step takes in the prompts of as many requests as end in it") {
  const nlohmann::json balanced = {
      {"base", "ideal"}, {"serving", {{"balances_steps", true}, {"max_num_seqs", 100'000}}}};
  scenario::Scenario scenario = serving({{"runtime", balanced}, {"plan.tp", 2}});
  const auto tokens = [&](int input, int output) {
    workload_of(scenario).requests.input.mean = input;
    workload_of(scenario).requests.output.mean = output;
    return step_bounds(scenario, workload_of(scenario)).max_num_batched_tokens;
  };
  // Two devices' memory but the weights holds b requests of i + o tokens of 131072 bytes; a step
  // generates b tokens, b / o requests end, b i / o tokens of prompts take their place.
  const scenario::MemoryUse use = memory_of(scenario).fullest_stage();
  const double free = 2 * (use.capacity_bytes - use.weights_bytes);
  const double held = free / (131072.0 * 4500);
  CHECK(tokens(3000, 1500) == Approx(held * (1 + 3000.0 / 1500)).epsilon(0.001));
  CHECK(tokens(30'000, 50) == 32'768);
  CHECK(tokens(100, 8000) == 2048);
  workload_of(scenario).scheduler.max_num_seqs = 700;
  CHECK(tokens(3000, 1500) == 2100);
  workload_of(scenario).scheduler.max_num_batched_tokens = 512;
  CHECK(tokens(3000, 1500) == 512);
}

TEST_CASE("activations are those of a step, whatever the prompts") {
  scenario::Scenario scenario = serving({{"runtime", "vllm"}});
  workload_of(scenario).scheduler.max_num_batched_tokens = 2048;
  const double activations = memory_of(scenario).fullest_stage().activations_bytes;
  workload_of(scenario).requests.input.mean = 4096;
  CHECK(memory_of(scenario).fullest_stage().activations_bytes == activations);
  workload_of(scenario).scheduler.max_num_batched_tokens = 4096;
  CHECK(memory_of(scenario).fullest_stage().activations_bytes > 1.5 * activations);
}

TEST_CASE("no replica holds more sequences than are asked for at once") {
  scenario::Scenario scenario = serving();
  CHECK(most_sequences(scenario, workload_of(scenario)) == 256);
  workload_of(scenario).arrival = {scenario::Arrival::Kind::closed_loop, 9, 0, 1};
  CHECK(most_sequences(scenario, workload_of(scenario)) == 9);
  scenario.plan.dp = 2;
  CHECK(most_sequences(scenario, workload_of(scenario)) == 5);
  workload_of(scenario).requests.count = 2;
  CHECK(most_sequences(scenario, workload_of(scenario)) == 1);
}

TEST_CASE("a server whose cache can't hold one request is infeasible, and says so") {
  scenario::Scenario scenario = serving();
  const double weights = memory_of(scenario).fullest_stage().weights_bytes;
  hardware::Cluster cluster = *scenario.cluster;
  const auto with_room = [&](double bytes) {
    cluster.node.accelerator.hbm_capacity_bytes = weights + bytes;
    scenario.cluster = std::make_shared<const hardware::Cluster>(cluster);
    return memory_reason(scenario, memory_of(scenario));
  };
  constexpr double kTokenBytes = 131072;
  CHECK(with_room(1280.5 * kTokenBytes).empty());
  CHECK_THAT(with_room(1270 * kTokenBytes),
             Contains("holds 1264 tokens, fewer than the 1280 of one request"));
  CHECK_THAT(with_room(-1), Contains("out of memory") && !Contains("largest batch"));
}

TEST_CASE("a full step and a step of decoding are what serving asks of an overlap") {
  scenario::Scenario scenario = serving();
  workload_of(scenario).scheduler.max_num_batched_tokens = 512;
  workload_of(scenario).scheduler.max_num_seqs = 48;
  const std::vector<scenario::PassTokens> passes = pass_tokens(scenario);
  REQUIRE(passes.size() == 2);
  CHECK((passes[0].kind == scenario::PassKind::prefill && passes[0].tokens == 512));
  CHECK((passes[1].kind == scenario::PassKind::decode && passes[1].tokens == 48));
}

TEST_CASE("requests longer on average than the model's positions are infeasible") {
  scenario::Scenario scenario = serving();
  workload_of(scenario).requests.input.mean = 1e6;
  CHECK_THAT(structural_reason(scenario), Contains("positions"));
}
