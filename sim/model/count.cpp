#include "sim/model/count.h"

#include <algorithm>

namespace tradewind::model {
namespace {

using enum WeightMatrix::Sharding;

void add_attention(std::vector<WeightMatrix>& matrices, const ModelConfig& config,
                   std::int64_t tensor_parallel) {
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t query = config.num_attention_heads / tensor_parallel * config.head_dim;
  const std::int64_t kv_heads =
      std::max<std::int64_t>(1, config.num_key_value_heads / tensor_parallel);
  matrices.push_back(
      {"qkv_proj", hidden, query + 2 * kv_heads * config.head_dim, column, config.qkv_bias});
  matrices.push_back({"o_proj", query, hidden, row, config.o_bias});
}

void add_mlp(std::vector<WeightMatrix>& matrices, const ModelConfig& config,
             std::int64_t tensor_parallel) {
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t intermediate = config.intermediate_size / tensor_parallel;
  if (config.gated_mlp) {
    matrices.push_back({"gate_up_proj", hidden, 2 * intermediate, column, config.mlp_bias});
  } else {
    matrices.push_back({"up_proj", hidden, intermediate, column, config.mlp_bias});
  }
  matrices.push_back({"down_proj", intermediate, hidden, row, config.mlp_bias});
}

void add_mamba(std::vector<WeightMatrix>& matrices, const ModelConfig& config,
               std::int64_t tensor_parallel) {
  const MambaDimensions mamba = shard(config.mamba, tensor_parallel);
  const bool bias = mamba.projection_bias;
  matrices.push_back({"in_proj", config.hidden_size, mamba.projected_size(), column, bias});
  matrices.push_back({"out_proj", mamba.inner_size(), config.hidden_size, row, bias});
}

/// Convolution, and for each head decay, skip and time-step bias, and the gated norm's scale.
std::int64_t mamba_vectors(const MambaDimensions& mamba) {
  return mamba.conv_channels() * (mamba.conv_kernel + (mamba.conv_bias ? 1 : 0)) +
         3 * mamba.num_heads + mamba.inner_size();
}

std::int64_t norm_parameters(const ModelConfig& config) {
  return config.hidden_size * (config.norm_bias ? 2 : 1);
}

std::int64_t norms(const ModelConfig& config, LayerKind kind) {
  const std::int64_t parts = kind == LayerKind::transformer ? 2 : 1;
  const bool inside = has_attention(kind) && config.qk_norm;
  return parts * norm_parameters(config) + (inside ? 2 * config.head_dim : 0);
}

double weights_of_layer(const ModelConfig& config, LayerKind kind) {
  double weights = 0;
  for (const WeightMatrix& matrix : layer_matrices(config, kind)) {
    weights += static_cast<double>(matrix.in_features * matrix.out_features);
  }
  if (kind == LayerKind::mamba) {
    weights += static_cast<double>(config.mamba.conv_channels() * config.mamba.conv_kernel);
  }
  return weights;
}

}  // namespace

std::vector<WeightMatrix> layer_matrices(const ModelConfig& config, LayerKind kind,
                                         std::int64_t tensor_parallel) {
  std::vector<WeightMatrix> matrices;
  matrices.reserve(4);
  if (has_attention(kind)) add_attention(matrices, config, tensor_parallel);
  if (has_mlp(kind)) add_mlp(matrices, config, tensor_parallel);
  if (kind == LayerKind::mamba) add_mamba(matrices, config, tensor_parallel);
  return matrices;
}

LayerParameters layer_parameters(const ModelConfig& config, LayerKind kind) {
  const auto sum = [](const std::vector<WeightMatrix>& matrices) {
    std::int64_t total = 0;
    for (const WeightMatrix& matrix : matrices) total += matrix.parameters();
    return total;
  };
  LayerParameters count;
  if (has_attention(kind)) count.attention = sum(layer_matrices(config, LayerKind::attention));
  if (has_mlp(kind)) count.mlp = sum(layer_matrices(config, LayerKind::mlp));
  if (kind == LayerKind::mamba) {
    count.mamba = sum(layer_matrices(config, kind)) + mamba_vectors(config.mamba);
  }
  count.norms = norms(config, kind);
  return count;
}

ParameterCount parameters(const ModelConfig& config) {
  ParameterCount count;
  const std::int64_t table = config.vocab_size * config.hidden_size;
  const std::int64_t positions =
      config.learned_positions ? config.max_position_embeddings * config.hidden_size : 0;
  count.embedding = table + positions;
  count.head = config.tie_word_embeddings ? 0 : table;
  count.final_norm = norm_parameters(config);
  for (const LayerKind kind : kLayerKinds) {
    const std::int64_t layers = layers_of_kind(config, kind, all_layers(config));
    count.layers += layers * layer_parameters(config, kind).total();
  }
  return count;
}

std::int64_t vector_parameters(const ModelConfig& config, LayerKind kind,
                               std::int64_t tensor_parallel) {
  const std::int64_t of_norms = norms(config, kind);
  if (kind != LayerKind::mamba) return of_norms;
  return of_norms + mamba_vectors(shard(config.mamba, tensor_parallel));
}

double mamba_width(const ModelConfig& config, std::int64_t tensor_parallel) {
  const MambaDimensions part = shard(config.mamba, tensor_parallel);
  return static_cast<double>(part.projected_size() + part.conv_channels() + part.inner_size());
}

double attention_pairs(double new_tokens, double cached_tokens, std::int64_t window) {
  const auto limit = static_cast<double>(window);
  const double growing =
      window == 0 ? new_tokens : std::clamp(limit - cached_tokens, 0.0, new_tokens);
  return growing * cached_tokens + growing * (growing + 1) / 2 + (new_tokens - growing) * limit;
}

double logits_flops(const ModelConfig& config, double tokens) {
  return 2 * static_cast<double>(config.vocab_size * config.hidden_size) * tokens;
}

double forward_flops(const ModelConfig& config, double new_tokens, double cached_tokens) {
  double weights = static_cast<double>(config.vocab_size * config.hidden_size);
  double attending = 0, scanning = 0;  // layers
  for (const LayerKind kind : kLayerKinds) {
    const auto layers = static_cast<double>(layers_of_kind(config, kind, all_layers(config)));
    if (layers == 0) continue;
    weights += layers * weights_of_layer(config, kind);
    if (has_attention(kind)) attending += layers;
    if (kind == LayerKind::mamba) scanning += layers;
  }
  const auto windowed = static_cast<double>(windowed_layers(config));
  const double pairs = (attending - windowed) * attention_pairs(new_tokens, cached_tokens, 0) +
                       windowed * attention_pairs(new_tokens, cached_tokens, config.sliding_window);
  const auto query = static_cast<double>(config.num_attention_heads * config.head_dim);
  const double scan = scanning > 0 ? scanning * scan_flops(config.mamba, new_tokens) : 0;
  return 2 * weights * new_tokens + 4 * query * pairs + scan;
}

}  // namespace tradewind::model
