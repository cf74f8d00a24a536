// What ranks and the host add to a training step.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/lowering/gradient_accumulation.h"
#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

namespace tradewind::workload {
namespace {

/// One replica of a model whose stages are alike: its vocabulary is small.
scenario::Scenario pipelined(int stages, int micro_batches) {
  return testing::scenario_with({{"model",
                                  {{"model_type", "gpt2"},
                                   {"n_embd", 4096},
                                   {"n_layer", 16},
                                   {"n_head", 32},
                                   {"n_positions", 4096},
                                   {"vocab_size", 1024}}},
                                 {"cluster", "h100-8"},
                                 {"runtime", "megatron"},
                                 {"plan", {{"pp", stages}, {"memory_check", "report"}}},
                                 {"workload",
                                  {{"kind", "training"},
                                   {"sequence_length", 4096},
                                   {"micro_batch", 1},
                                   {"global_batch", micro_batches}}}});
}

double step_ms(scenario::Scenario scenario, const scenario::TrainingBehaviour& behaviour) {
  auto runtime = std::make_shared<scenario::Runtime>(*scenario.runtime);
  runtime->training = behaviour;
  scenario.runtime = runtime;
  return *run(scenario).metrics.makespan_ms;
}

}  // namespace

TEST_CASE("a step waits for the slowest of its replicas") {
  scenario::Scenario scenario = pipelined(1, 256);
  scenario.plan.dp = 8;
  scenario::TrainingBehaviour even = scenario.runtime->training, uneven = even;
  even.rank_spread = 0, uneven.rank_spread = 0.02;
  const double longer = step_ms(scenario, uneven) / step_ms(scenario, even) - 1;
  const double slowest = 0.02 * std::sqrt(2 * std::log(8.0));
  // All that is computed takes longer, not the optimizer and the gradients' reduction.
  CHECK(longer < slowest);
  CHECK(longer > slowest * 0.8);
  // Alone it has no one to wait for, however many its stages.
  const scenario::Scenario alone = pipelined(4, 4);
  CHECK(step_ms(alone, uneven) == step_ms(alone, even));
}

TEST_CASE("a message between stages takes the host's time too") {
  const scenario::Scenario scenario = pipelined(2, 1);
  scenario::TrainingBehaviour without = scenario.runtime->training, with = without;
  without.message_host_s = 0, with.message_host_s = 1e-3;
  // One micro-batch: its activations down and its gradient up, nothing beside them.
  CHECK(step_ms(scenario, with) - step_ms(scenario, without) == Approx(2).epsilon(1e-6));
}

TEST_CASE("the host that fetches a micro-batch holds each forward pass of each chunk") {
  const scenario::Scenario scenario = pipelined(2, 3);
  scenario::TrainingBehaviour without = scenario.runtime->training, with = without;
  without.forward_host_s = 0, with.forward_host_s = 1e-3;
  // The last stage has three forward passes, and waits for the first one's first.
  CHECK(step_ms(scenario, with) - step_ms(scenario, without) == Approx(4).epsilon(1e-6));
  auto runtime = std::make_shared<scenario::Runtime>(*scenario.runtime);
  runtime->training = with;
  scenario::Scenario waiting = scenario;
  waiting.runtime = runtime;
  const Result result = run(waiting);
  const auto row = std::find_if(result.breakdown.begin(), result.breakdown.end(),
                                [](const BreakdownRow& r) { return r.kernel == "micro_batch"; });
  REQUIRE(row != result.breakdown.end());
  CHECK(row->time_ms == Approx(3));
  CHECK(row->bound == kernels::Bound::host);
}

TEST_CASE("accumulation in the epilogue shows only where memory is what the product waits for") {
  scenario::Scenario scenario = pipelined(1, 4);
  const double bandwidth = scenario.cluster->accelerator().hbm_bandwidth_bytes_per_s;
  auto runtime = std::make_shared<scenario::Runtime>(*scenario.runtime);
  runtime->training.fuses_accumulation = true, runtime->training.gradient_bytes = 4;
  scenario.runtime = runtime;
  kernels::Cost product;
  product.latency_s = 1e-6, product.duration_s = 101e-6, product.hbm_bytes = 40e-6 * bandwidth;
  // Gradients of 4 bytes are read and written where 2 were written: 6 more.
  const auto with = [&](double seconds_of_memory) {
    return lowering::with_accumulation(scenario, product, seconds_of_memory * bandwidth / 6);
  };
  CHECK(with(30e-6).duration_s == Approx(101e-6));
  CHECK(with(100e-6).duration_s == Approx(141e-6));
  CHECK(with(30e-6).hbm_bytes == Approx(70e-6 * bandwidth));
}

}  // namespace tradewind::workload
