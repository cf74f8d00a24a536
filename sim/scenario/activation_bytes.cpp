#include "sim/scenario/activation_bytes.h"

#include <algorithm>
#include <cmath>

namespace tradewind::scenario {
namespace {

constexpr double kBytes = 2;  ///< of an activation

/// Of what a product reads again for its weights' gradient.
double input_bytes(const Scenario& scenario) {
  return scenario.runtime->training.keeps_quantized_inputs
             ? bytes_per_element(scenario.precision.activations)
             : kBytes;
}

const Training& training_of(const Scenario& scenario) {
  return std::get<Training>(scenario.workload);
}

/// Ranks that share out the tokens of norms and residuals.
double token_shards(const Scenario& scenario) {
  return scenario.plan.sequence_parallel ? scenario.plan.tp : 1;
}

double hidden_of(const Scenario& scenario) {
  return static_cast<double>(scenario.model->hidden_size);
}

/// Columns of queries, and of keys (or values), of one device.
double query_columns(const Scenario& scenario) {
  const model::ModelConfig& model = *scenario.model;
  return static_cast<double>(model.num_attention_heads * model.head_dim) / scenario.plan.tp;
}
double key_columns(const Scenario& scenario) {
  const model::ModelConfig& model = *scenario.model;
  const double heads = static_cast<double>(model.num_key_value_heads) / scenario.plan.tp;
  return std::max(1.0, heads) * static_cast<double>(model.head_dim);
}
/// Of one device.
double logits_of_token(const Scenario& scenario) {
  return static_cast<double>(scenario.model->vocab_size) / scenario.plan.tp;
}
double inner_columns(const Scenario& scenario) {
  return static_cast<double>(scenario.model->intermediate_size) / scenario.plan.tp;
}

}  // namespace

double training_tokens(const Scenario& scenario) {
  const Training& training = training_of(scenario);
  const double shards = 1.0 * scenario.plan.cp * scenario.plan.ulysses;
  return training.micro_batch * std::ceil(training.sequence_length / shards);
}

bool is_attention_unfused(const Scenario& scenario) {
  return training_of(scenario).sequence_length <=
         scenario.runtime->training.unfused_attention_tokens;
}

LayerActivations layer_activations(const Scenario& scenario, bool unfused) {
  const model::ModelConfig& model = *scenario.model;
  const Training& training = training_of(scenario);
  const double tokens = training_tokens(scenario), hidden = hidden_of(scenario);
  const double masks = model.dropout ? 2 : 0;
  LayerActivations kept;
  const double input = input_bytes(scenario);
  kept.whole = tokens * hidden * (2 * kBytes + 2 * input + masks) / token_shards(scenario);
  const double query = query_columns(scenario), inner = inner_columns(scenario);
  // Attention's output in 16 bits is also its output projection's input; quantised it is one more.
  const double quantised = input < kBytes ? query * input : 0;
  kept.shared = tokens * ((query + 2 * key_columns(scenario) + query) * kBytes + quantised +
                          inner * ((model.gated_mlp ? 2 : 1) * kBytes + input));
  if (!unfused) return kept;
  const double heads = static_cast<double>(model.num_attention_heads) / scenario.plan.tp;
  // Scores of all keys: dropout's output and mask exist only where there is dropout.
  const double bytes = model.dropout ? 5 : 2;
  kept.scores = bytes * heads * tokens * training.sequence_length;
  return kept;
}

double layer_input_bytes(const Scenario& scenario) {
  return training_tokens(scenario) * hidden_of(scenario) * kBytes / token_shards(scenario);
}

double kept_layer_bytes(const Scenario& scenario) {
  const Recompute recompute = training_of(scenario).recompute;
  const double tokens = training_tokens(scenario);
  const double input = layer_input_bytes(scenario);
  if (recompute == Recompute::full) return input;
  const bool selective = recompute == Recompute::selective;
  if (selective && scenario.runtime->training.keeps_alternate_products) {
    const double columns =
        2 * query_columns(scenario) + key_columns(scenario) + inner_columns(scenario);
    return 2 * input + tokens * columns * kBytes;
  }
  const bool unfused = is_attention_unfused(scenario) && !selective;
  return layer_activations(scenario, unfused).total();
}

double embedding_activation_bytes(const Scenario& scenario) {
  if (!scenario.model->dropout) return 0;
  return training_tokens(scenario) * hidden_of(scenario) / token_shards(scenario);
}

double head_activation_bytes(const Scenario& scenario) {
  constexpr double kSingle = 4;
  double logit_bytes = kSingle;
  if (scenario.runtime->training.loss == Loss::eager) {
    logit_bytes = kBytes + (scenario.plan.tp > 1 ? 4 : 3) * kSingle;
  }
  return training_tokens(scenario) * (2 * hidden_of(scenario) * kBytes / token_shards(scenario) +
                                      logits_of_token(scenario) * logit_bytes);
}

double logits_bytes(const Scenario& scenario) {
  return training_tokens(scenario) * logits_of_token(scenario) * kBytes;
}

}  // namespace tradewind::scenario
