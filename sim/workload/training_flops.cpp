#include "sim/workload/training_flops.h"

#include "sim/model/count.h"

namespace tradewind::workload {
namespace {

using scenario::Scenario;

double queries_of(const model::ModelConfig& model) {
  return static_cast<double>(model.num_attention_heads * model.head_dim);
}

/// Of one layer and sequence: what selective recomputation does again.
double selective_flops(const Scenario& scenario, double length) {
  const model::ModelConfig& model = *scenario.model;
  if (!scenario.runtime->training.keeps_alternate_products) {
    return 4 * queries_of(model) * model::attention_pairs(length, 0, 0);
  }
  const double keys = static_cast<double>(model.num_key_value_heads * model.head_dim);
  const double up = model.gated_mlp ? static_cast<double>(model.intermediate_size) : 0;
  return 2 * static_cast<double>(model.hidden_size) * (keys + queries_of(model) + up) * length;
}

}  // namespace

double model_flops(const Scenario& scenario, bool causal) {
  const auto& training = std::get<scenario::Training>(scenario.workload);
  const model::ModelConfig& model = *scenario.model;
  constexpr double kPasses = 3;  // forward, and twice as much backward
  const double length = training.sequence_length;
  double flops = model::forward_flops(model, length, 0);
  if (!causal) {
    const double layers = static_cast<double>(model.num_hidden_layers);
    flops +=
        layers * 4 * queries_of(model) * (length * length - model::attention_pairs(length, 0, 0));
  }
  return kPasses * flops * training.global_batch;
}

double recomputed_flops(const Scenario& scenario, const std::vector<Chunk>& chunks) {
  const auto& training = std::get<scenario::Training>(scenario.workload);
  if (training.recompute == scenario::Recompute::none) return 0;
  double layers = 0, whole = 0;
  for (const Chunk& chunk : chunks) {
    layers += chunk.layers;
    whole +=
        training.recompute == scenario::Recompute::full ? chunk.layers : chunk.recomputed_layers;
  }
  const model::ModelConfig& model = *scenario.model;
  const double length = training.sequence_length;
  const double all = model::forward_flops(model, length, 0) - model::logits_flops(model, length);
  const double selective =
      static_cast<double>(model.num_hidden_layers) * selective_flops(scenario, length);
  return (all * whole + selective * (layers - whole)) / layers * training.global_batch;
}

}  // namespace tradewind::workload
