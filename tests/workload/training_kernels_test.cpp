// What a layer's training step launches besides its products.
#include "sim/lowering/training_kernels.h"

#include <nlohmann/json.hpp>

#include "sim/lowering/weight_quantization.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

namespace tradewind::lowering {
namespace {

constexpr double kTokens = 2048, kHidden = 4096;

scenario::Scenario step_of(const nlohmann::json& model) {
  return testing::scenario_with({{"model", model},
                                 {"cluster", "h100-8"},
                                 {"runtime", "ideal"},
                                 {"plan", {{"memory_check", "report"}}},
                                 {"workload",
                                  {{"kind", "training"},
                                   {"sequence_length", static_cast<int>(kTokens)},
                                   {"micro_batch", 1},
                                   {"global_batch", 1}}}});
}

nlohmann::json gpt2_model() {
  return {{"model_type", "gpt2"}, {"n_embd", static_cast<int>(kHidden)},
          {"n_layer", 2},         {"n_head", 32},
          {"n_positions", 2048},  {"vocab_size", 1024}};
}

scenario::Scenario gpt2(bool sums_bias_gradients) {
  scenario::Scenario scenario = step_of(gpt2_model());
  auto runtime = std::make_shared<scenario::Runtime>(*scenario.runtime);
  runtime->training.sums_bias_gradients = sums_bias_gradients;
  scenario.runtime = runtime;
  return scenario;
}

TrainingPart layer_of(const scenario::Scenario& scenario) {
  return lower_training(scenario, book_for(scenario)).layer[0];
}

std::vector<double> bytes_of(const Segment& segment, KernelKind kind) {
  std::vector<double> bytes;
  for (const Step& step : segment) {
    const Kernel* kernel = kernel_of(step);
    if (kernel && kernel->kind == kind) bytes.push_back(kernel->cost.hbm_bytes);
  }
  return bytes;
}

}  // namespace

TEST_CASE("dropout leaves a mask of one byte an element, and reads it in the backward pass") {
  const TrainingPart layer = layer_of(gpt2(false));
  const double elements = kTokens * kHidden;
  // The sublayer's output and the residual read, their sum and its norm written, and the mask.
  CHECK(bytes_of(layer.forward, KernelKind::rms_norm) ==
        std::vector<double>(2, elements * (4 * 2 + 1)));
  CHECK(bytes_of(layer.backward, KernelKind::dropout_backward) ==
        std::vector<double>(2, elements * (2 + 1 + 2)));
  const TrainingPart llama = layer_of(step_of("llama-3.1-8b"));
  CHECK(bytes_of(llama.backward, KernelKind::dropout_backward).empty());
  CHECK(bytes_of(llama.forward, KernelKind::rms_norm) == std::vector<double>(2, elements * 4 * 2));
}

TEST_CASE(
    "nothing is dropped where the model's probabilities are 0 or the runtime trains without") {
  nlohmann::json model = gpt2_model();
  model["attn_pdrop"] = model["resid_pdrop"] = 0;
  CHECK(bytes_of(layer_of(step_of(model)).backward, KernelKind::dropout_backward).empty());
  model["resid_pdrop"] = 0.1;
  CHECK_FALSE(bytes_of(layer_of(step_of(model)).backward, KernelKind::dropout_backward).empty());
  nlohmann::json without = {{"name", "without"}, {"base", "ideal"}};
  without["training"] = {{"dropout", false}, {"source", "this test"}};
  const scenario::Scenario scenario = testing::scenario_with({{"model", model},
                                                              {"runtime", without},
                                                              {"workload",
                                                               {{"kind", "training"},
                                                                {"sequence_length", 2048},
                                                                {"micro_batch", 1},
                                                                {"global_batch", 1}}}});
  CHECK(bytes_of(layer_of(scenario).backward, KernelKind::dropout_backward).empty());
}

TEST_CASE("weights gathered in 16 bits are quantised on every device, forward and backward") {
  scenario::Scenario scenario = step_of("llama-3.1-8b");
  scenario.precision.weights = scenario.precision.activations = DataType::fp8;
  scenario.plan.dp = 8;
  const auto quantised = [&] { return bytes_of(layer_of(scenario).forward, KernelKind::quantize); };
  CHECK(quantised().empty());
  // Once a step, what a device holds: 16 bits in, two copies of 8 bits out.
  CHECK(bytes_to_quantize_a_weight(scenario, Quantized::each_step) == 4);
  scenario.plan.zero_stage = 3;
  CHECK(bytes_to_quantize_a_weight(scenario, Quantized::each_step) == 0);
  // Queries with keys and values, output, gate with up, down.
  const double h = 4096, kv = 1024, i = 14336;
  const std::vector<double> layer = {4 * h * (h + 2 * kv), 4 * h * h, 4 * h * 2 * i, 4 * h * i};
  CHECK(quantised() == layer);
  // The backward pass has what the forward pass left, or computes it again.
  CHECK(keeps_quantized_weights(scenario));
  CHECK(bytes_of(layer_of(scenario).backward, KernelKind::quantize).empty());
  std::get<scenario::Training>(scenario.workload).recompute = scenario::Recompute::full;
  CHECK_FALSE(keeps_quantized_weights(scenario));
  std::vector<double> again = bytes_of(layer_of(scenario).backward, KernelKind::quantize);
  CHECK(again == layer);
  CHECK(gathered_weight_bytes(scenario) == 2);
  auto runtime = std::make_shared<scenario::Runtime>(*scenario.runtime);
  runtime->training.gathers_quantized_weights = true;
  scenario.runtime = runtime;
  CHECK(quantised().empty());
  CHECK(gathered_weight_bytes(scenario) == 1);
  CHECK(bytes_to_quantize_a_weight(scenario, Quantized::each_step) == 0.5);
}

TEST_CASE("gradients of biases are sums of their own where the runtime does not fuse them") {
  CHECK(bytes_of(layer_of(gpt2(false)).backward, KernelKind::bias_gradient).empty());
  const TrainingPart layer = layer_of(gpt2(true));
  // The backward pass: down projection, up projection, attention's output, QKV; 2 bytes each.
  const double row = 2 * kTokens * kHidden;
  const std::vector<double> sums = {row, 4 * row, row, 3 * row};
  CHECK(bytes_of(layer.backward, KernelKind::bias_gradient) == sums);
  // What is put off are the products alone.
  CHECK(bytes_of(layer.backward_input, KernelKind::bias_gradient) == sums);
  CHECK(bytes_of(layer.backward_weight, KernelKind::bias_gradient).empty());
}

TEST_CASE("the loss costs what its chain of kernels moves for a logit") {
  struct Chain {
    scenario::Loss loss;
    double forward_bytes, backward_bytes;
  };
  for (const Chain& chain : {Chain{scenario::Loss::fused, 10, 6},
                             {scenario::Loss::eager, 18, 26},
                             {scenario::Loss::vocab_parallel, 38, 14}}) {
    scenario::Scenario scenario = gpt2(false);
    auto runtime = std::make_shared<scenario::Runtime>(*scenario.runtime);
    runtime->training.loss = chain.loss;
    scenario.runtime = runtime;
    const TrainingPart head = lower_training(scenario, book_for(scenario)).head;
    const double logits = kTokens * 1024;
    CHECK(bytes_of(head.forward, KernelKind::loss) ==
          std::vector<double>{logits * chain.forward_bytes});
    CHECK(bytes_of(head.backward, KernelKind::loss_backward) ==
          std::vector<double>{logits * chain.backward_bytes});
  }
}

}  // namespace tradewind::lowering
