// What PyTorch's FSDP and pipelines hold beyond the formulas of the papers (torchtitan).
#include "sim/workload/training_memory.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

namespace tradewind::workload {
namespace {

constexpr double kTokens = 4096, kHidden = 1024, kVocabulary = 32000, kLayers = 4;
constexpr double kMicroBatches = 6;
/// A GPT layer's: 12 h^2 + 13 h.
constexpr double kLayer = 12 * kHidden * kHidden + 13 * kHidden;

/// Two stages, FSDP that keeps what it gathers; the second stage has the head.
scenario::Scenario sharded(int tp) {
  return testing::scenario_with(
      {{"model",
        {{"model_type", "gpt2"},
         {"n_embd", kHidden},
         {"n_layer", kLayers},
         {"n_head", 8},
         {"n_positions", kTokens},
         {"vocab_size", kVocabulary}}},
       {"cluster", {{"node", "h100-8"}, {"nodes", 4}, {"network", "ib-ndr"}}},
       {"runtime", "torchtitan"},
       {"plan", {{"tp", tp}, {"pp", 2}, {"dp", 4}, {"zero_stage", 2}, {"memory_check", "report"}}},
       {"workload",
        {{"kind", "training"},
         {"sequence_length", kTokens},
         {"micro_batch", 1},
         {"recompute", "full"},
         {"global_batch", 4 * kMicroBatches}}}});
}

/// Of both stages, with and without one behaviour.
struct Change {
  scenario::MemoryUse first_without, first_with, last_without, last_with;
};
template <class Value>
Change change(const scenario::Scenario& scenario, Value scenario::TrainingBehaviour::*behaviour,
              Value without_it, Value with_it) {
  const auto stages = [&](Value value) {
    auto runtime = std::make_shared<scenario::Runtime>(*scenario.runtime);
    runtime->training.loss = scenario::Loss::fused;
    runtime->training.buffers_whole_step = false;
    runtime->training.accumulates_whole_gradients = false;
    runtime->training.*behaviour = value;
    scenario::Scenario changed = scenario;
    changed.runtime = runtime;
    return run(changed).memory->stages;
  };
  const auto without = stages(without_it), with = stages(with_it);
  return {without[0], with[0], without[1], with[1]};
}
Change change(const scenario::Scenario& scenario, bool scenario::TrainingBehaviour::*behaviour) {
  return change(scenario, behaviour, false, true);
}

}  // namespace

TEST_CASE(
    "an eager loss holds logits in 16 bits and three times in fp32, sharded ones four times") {
  for (const int tp : {1, 2}) {
    const Change loss = change(sharded(tp), &scenario::TrainingBehaviour::loss,
                               scenario::Loss::fused, scenario::Loss::eager);
    const double logits = kTokens * kVocabulary / tp, fused = 4, eager = tp > 1 ? 18 : 14;
    CHECK(loss.last_with.activations_bytes - loss.last_without.activations_bytes ==
          Approx(logits * (eager - fused)));
    CHECK(loss.first_with.activations_bytes == loss.first_without.activations_bytes);
  }
}

TEST_CASE(
    "a pipeline with buffers for the whole step keeps inputs and logits of all micro-batches") {
  const Change buffers = change(sharded(1), &scenario::TrainingBehaviour::buffers_whole_step);
  // Of the last stage's inputs one is in flight; logits are joined into as many bytes again.
  const double inputs = (kMicroBatches - 1) * kTokens * kHidden * 2;
  const double logits = 2 * kMicroBatches * kTokens * kVocabulary * 2;
  CHECK(buffers.last_with.activations_bytes - buffers.last_without.activations_bytes ==
        Approx(inputs + logits));
  CHECK(buffers.first_with.activations_bytes == buffers.first_without.activations_bytes);
}

TEST_CASE("gradients of the backward pass that stay beside their sums are two bytes a parameter") {
  const Change kept = change(sharded(1), &scenario::TrainingBehaviour::keeps_backward_gradients);
  CHECK(kept.first_with.gradients_bytes - kept.first_without.gradients_bytes ==
        Approx(kept.first_with.weights_bytes));
  CHECK(kept.first_with.activations_bytes == kept.first_without.activations_bytes);
}

TEST_CASE("gradients that micro-batches add to whole are shared out after the last one") {
  scenario::Scenario scenario = sharded(1);
  const auto gradients = &scenario::TrainingBehaviour::accumulates_whole_gradients;
  const Change whole = change(scenario, gradients);
  CHECK(whole.first_without.gradients_bytes - 4 * kLayer ==
        Approx((whole.first_with.gradients_bytes - 4 * kLayer) / 4));
  // One micro-batch has nothing to add to.
  std::get<scenario::Training>(scenario.workload).global_batch = 4;
  const Change one = change(scenario, gradients);
  CHECK(one.first_with.gradients_bytes == one.first_without.gradients_bytes);
}

TEST_CASE("weights that are gathered in 8 bits and kept take a byte each") {
  scenario::Scenario scenario = sharded(1);
  const double in_16_bits = run(scenario).memory->stages[0].weights_bytes;
  scenario.precision.weights = scenario.precision.activations = DataType::fp8;
  // Layers alone: embedding and head stay as they are.
  CHECK(in_16_bits - run(scenario).memory->stages[0].weights_bytes ==
        Approx(kLayers / 2 * kLayer).epsilon(0.01));
}

}  // namespace tradewind::workload
