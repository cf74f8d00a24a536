// What data-parallel ranks share out: memory, and what moves how often.
#include <nlohmann/json.hpp>

#include "sim/lowering/training_groups.h"
#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

namespace tradewind::workload {
namespace {

/// Llama 3.1 8B on two nodes, a sequence a rank and micro-batch.
nlohmann::json step_of(const char* runtime, int zero_stage, int micro_batches) {
  return {{"model", "llama-3.1-8b"},
          {"cluster", {{"node", "h100-8"}, {"nodes", 2}, {"network", "ib-ndr"}}},
          {"runtime", runtime},
          {"plan", {{"dp", 16}, {"zero_stage", zero_stage}, {"memory_check", "report"}}},
          {"workload",
           {{"kind", "training"},
            {"sequence_length", 4096},
            {"micro_batch", 1},
            {"global_batch", 16 * micro_batches},
            {"recompute", "full"}}}};
}

scenario::Scenario read(const nlohmann::json& document) {
  return scenario::read_scenario(json::Node(document, "test", ""), testing::catalogue());
}

}  // namespace

TEST_CASE("hybrid sharding gathers inside each copy and sums the copies' shards") {
  nlohmann::json document = step_of("torchtitan", 3, 1);
  document["plan"]["dp_replicate"] = 2;
  const scenario::Scenario hybrid = read(document);
  CHECK(lowering::shard_group(hybrid).ranks == 8);
  CHECK(lowering::shard_group(hybrid).nodes == 1);
  CHECK(lowering::copy_group(hybrid).ranks == 2);
  CHECK(lowering::copy_group(hybrid).nodes == 2);
  const auto memory = run(hybrid).memory->fullest_stage();
  const auto whole = run(read(step_of("torchtitan", 3, 1))).memory->fullest_stage();
  CHECK(memory.optimizer_bytes == Approx(2 * whole.optimizer_bytes));
  CHECK(memory.weights_bytes > whole.weights_bytes);
}

TEST_CASE("as many copies as replicas are plain data parallelism") {
  nlohmann::json document = step_of("torchtitan", 1, 2);
  document["plan"]["dp_replicate"] = 16;
  const Result copies = run(read(document));
  const Result plain = run(read(step_of("torchtitan", 0, 2)));
  CHECK(*copies.metrics.makespan_ms == *plain.metrics.makespan_ms);
  CHECK(*copies.metrics.peak_memory_bytes == *plain.metrics.peak_memory_bytes);
}

TEST_CASE("ZeRO-2 that keeps only its shard of gradients reduces those of every micro-batch") {
  const auto in_flight = [](const char* runtime, int micro_batches) {
    return *run(read(step_of(runtime, 2, micro_batches))).metrics.communication_ms;
  };
  const double once = in_flight("megatron", 1);
  CHECK(in_flight("megatron", 4) == Approx(once));
  CHECK(in_flight("megatron-deepspeed", 4) > 2 * in_flight("megatron-deepspeed", 1));
  const auto gradients = [](const char* runtime) {
    return run(read(step_of(runtime, 2, 4))).memory->fullest_stage().gradients_bytes;
  };
  CHECK(gradients("megatron-deepspeed") < gradients("megatron") / 2);
}

TEST_CASE("with one rank there is nothing to share out: every stage of ZeRO is the same step") {
  const auto step = [](int zero_stage) {
    nlohmann::json document = step_of("torchtitan", zero_stage, 1);
    document["plan"]["dp"] = 1;
    return run(read(document));
  };
  const Result none = step(0);
  for (const int zero_stage : {1, 2, 3}) {
    CHECK(*step(zero_stage).metrics.makespan_ms == *none.metrics.makespan_ms);
    CHECK(*step(zero_stage).metrics.peak_memory_bytes == *none.metrics.peak_memory_bytes);
  }
}

TEST_CASE("communication is in flight for no longer than the step") {
  for (const int zero_stage : {1, 2, 3}) {
    nlohmann::json document = step_of("megatron", zero_stage, 4);
    document["plan"]["tp"] = 8;
    document["plan"]["dp"] = 2;
    document["workload"]["global_batch"] = 8;
    document["cluster"]["override"] = {{"network.nic.bandwidth_bytes_per_s", 1e9}};
    const Metrics metrics = run(read(document)).metrics;
    CHECK(*metrics.communication_ms <= *metrics.makespan_ms);
    CHECK(*metrics.communication_ms >= *metrics.exposed_communication_ms);
    CHECK_FALSE(metrics.bubble_fraction);
  }
}

TEST_CASE("recomputed FLOPs are those of the kernels that run again") {
  nlohmann::json document = step_of("torchtitan", 3, 1);
  document["workload"]["recompute"] = "selective";
  const Metrics metrics = run(read(document)).metrics;
  // Llama 3.1 8B: of 218,103,808 weights of a layer, keys 4096 x 1024, output 4096 x 4096 and up
  // 4096 x 14336 again; attention of 4096 tokens, 4 x 4096 x 2048.5 a token, not.
  const double again = 4096.0 * (1024 + 4096 + 14336);
  const double layer = 218103808 + 2.0 * 4096 * 2048.5, head = 128256.0 * 4096;
  CHECK(*metrics.hfu / *metrics.mfu == Approx(1 + 32 * again / (3 * (32 * layer + head))));
}

}  // namespace tradewind::workload
