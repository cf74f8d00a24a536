#include "sim/scenario/training_feasibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tradewind::scenario {

namespace {

/// Each is a task of every stage: seconds and gigabytes.
constexpr int kMostMicroBatches = 1'000'000;

bool trains(DataType type) {
  return type == DataType::fp32 || type == DataType::bf16 || type == DataType::fp16 ||
         type == DataType::fp8;
}

}  // namespace

std::string training_reason(const Scenario& scenario) {
  const auto* training = std::get_if<Training>(&scenario.workload);
  if (!training) return {};
  const Plan& plan = scenario.plan;
  const model::ModelConfig& model = *scenario.model;
  if (!model.layer_kinds.empty()) {
    return fmt::format("training is modelled for transformers: {} has other layers", model.name);
  }
  for (const DataType type : {scenario.precision.weights, scenario.precision.activations}) {
    if (trains(type)) continue;
    return fmt::format("training multiplies in fp32, bf16, fp16 or fp8, not {}", facts(type).name);
  }
  if (plan.nano_batches > 0) {
    return "nano_batches are of inference: training has micro_batch";
  }
  if (!scenario.cluster->device_speeds.empty()) {
    return "device_speeds are not simulated in training: one rank stands for all";
  }
  if (training->global_batch % (plan.dp * training->micro_batch) != 0) {
    return fmt::format("global_batch {} is no multiple of dp {} x micro_batch {}",
                       training->global_batch, plan.dp, training->micro_batch);
  }
  if (micro_batches(scenario) > kMostMicroBatches) {
    return fmt::format("{} micro-batches a step are more than the {} that are simulated",
                       micro_batches(scenario), kMostMicroBatches);
  }
  const int shards = plan.cp * plan.ulysses;
  if (training->sequence_length % shards != 0) {
    return fmt::format("cp {} x ulysses {} does not divide the sequence_length {}", plan.cp,
                       plan.ulysses, training->sequence_length);
  }
  const std::int64_t heads = std::int64_t{plan.tp} * plan.ulysses;
  if (model.num_attention_heads % heads != 0) {
    return fmt::format("tp {} x ulysses {} does not divide the {} attention heads of {}", plan.tp,
                       plan.ulysses, model.num_attention_heads, model.name);
  }
  if (training->sequence_length > model.max_position_embeddings && model.learned_positions) {
    return fmt::format("sequence_length {} is more than the {} learned positions of {}",
                       training->sequence_length, model.max_position_embeddings, model.name);
  }
  if (std::int64_t{plan.pp} * plan.virtual_stages > model.num_hidden_layers + 2) {
    return fmt::format(
        "pp {} x virtual_stages {} is more than the {} layers of {}, embedding and "
        "head",
        plan.pp, plan.virtual_stages, model.num_hidden_layers, model.name);
  }
  if (const std::int64_t chunks = std::int64_t{plan.pp} * plan.virtual_stages;
      plan.virtual_stages > 1 && model.num_hidden_layers % chunks != 0 &&
      (model.num_hidden_layers + 2) % chunks != 0) {
    return fmt::format(
        "pp {} x virtual_stages {} divides the {} layers of {} neither alone nor with embedding "
        "and head",
        plan.pp, plan.virtual_stages, model.num_hidden_layers, model.name);
  }
  if (plan.dp % plan.dp_replicate != 0) {
    return fmt::format("dp_replicate {} does not divide dp {}", plan.dp_replicate, plan.dp);
  }
  if (plan.dp_replicate > 1 && plan.zero_stage == 0) {
    return fmt::format("dp_replicate {} copies what zero_stage 1 to 3 shares out: zero_stage is 0",
                       plan.dp_replicate);
  }
  if (plan.pp > 1 && reduces_each_micro_batch(scenario) &&
      !scenario.runtime->training.shards_weights_in_pipeline) {
    return fmt::format("{} does not combine zero_stage {} with pp {}", scenario.runtime->name,
                       plan.zero_stage, plan.pp);
  }
  return {};
}

bool reduces_each_micro_batch(const Scenario& scenario) {
  const int zero = scenario.plan.zero_stage;
  return zero >= 3 || (zero == 2 && !scenario.runtime->training.accumulates_whole_gradients);
}

int micro_batches(const Scenario& scenario) {
  const Training& training = std::get<Training>(scenario.workload);
  return training.global_batch / (scenario.plan.dp * training.micro_batch);
}

}  // namespace tradewind::scenario
