#include "sim/model/count.h"

#include <algorithm>

namespace tradewind::model {

std::vector<WeightMatrix> layer_matrices(const ModelConfig& config, std::int64_t tensor_parallel) {
  using enum WeightMatrix::Sharding;
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t query = config.num_attention_heads / tensor_parallel * config.head_dim;
  const std::int64_t kv_heads =
      std::max<std::int64_t>(1, config.num_key_value_heads / tensor_parallel);
  const std::int64_t intermediate = config.intermediate_size / tensor_parallel;
  const WeightMatrix up =
      config.gated_mlp
          ? WeightMatrix{"gate_up_proj", hidden, 2 * intermediate, column, config.mlp_bias}
          : WeightMatrix{"up_proj", hidden, intermediate, column, config.mlp_bias};
  return {{"qkv_proj", hidden, query + 2 * kv_heads * config.head_dim, column, config.qkv_bias},
          {"o_proj", query, hidden, row, config.o_bias},
          up,
          {"down_proj", intermediate, hidden, row, config.mlp_bias}};
}

ParameterCount parameters(const ModelConfig& config) {
  const std::vector<WeightMatrix> matrices = layer_matrices(config);
  ParameterCount count;
  count.embedding = config.vocab_size * config.hidden_size;
  count.head = config.tie_word_embeddings ? 0 : count.embedding;
  count.final_norm = config.hidden_size;
  count.attention = matrices[0].parameters() + matrices[1].parameters();
  count.mlp = matrices[2].parameters() + matrices[3].parameters();
  count.norms = 2 * config.hidden_size + (config.qk_norm ? 2 * config.head_dim : 0);
  count.layers = config.num_hidden_layers;
  return count;
}

double kv_bytes_per_token(const ModelConfig& config, DataType dtype) {
  const std::int64_t elements =
      2 * config.num_hidden_layers * config.num_key_value_heads * config.head_dim;
  return static_cast<double>(elements) * facts(dtype).bits_with_scale / 8;
}

double kv_bytes(const ModelConfig& config, DataType dtype, double tokens) {
  const auto layers = static_cast<double>(config.num_hidden_layers);
  const auto windowed = static_cast<double>(windowed_layers(config));
  const double kept = std::min(tokens, static_cast<double>(config.sliding_window));
  const double layer_tokens = (layers - windowed) * tokens + windowed * kept;
  return kv_bytes_per_token(config, dtype) / layers * layer_tokens;
}

double attention_pairs(double new_tokens, double cached_tokens, std::int64_t window) {
  const auto limit = static_cast<double>(window);
  const double growing =
      window == 0 ? new_tokens : std::clamp(limit - cached_tokens, 0.0, new_tokens);
  return growing * cached_tokens + growing * (growing + 1) / 2 + (new_tokens - growing) * limit;
}

double forward_flops(const ModelConfig& config, double new_tokens, double cached_tokens) {
  const auto layers = static_cast<double>(config.num_hidden_layers);
  const auto windowed = static_cast<double>(windowed_layers(config));
  double weights = static_cast<double>(config.vocab_size * config.hidden_size);
  for (const WeightMatrix& matrix : layer_matrices(config)) {
    weights += layers * static_cast<double>(matrix.in_features * matrix.out_features);
  }
  const double pairs = (layers - windowed) * attention_pairs(new_tokens, cached_tokens, 0) +
                       windowed * attention_pairs(new_tokens, cached_tokens, config.sliding_window);
  const auto query = static_cast<double>(config.num_attention_heads * config.head_dim);
  return 2 * weights * new_tokens + 4 * query * pairs;
}

}  // namespace tradewind::model
