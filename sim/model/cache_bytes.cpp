#include "sim/model/cache_bytes.h"

#include <algorithm>

namespace tradewind::model {
namespace {

double layer_token_bytes(const ModelConfig& config, DataType dtype, std::int64_t heads) {
  return static_cast<double>(2 * heads * config.head_dim) * facts(dtype).bits_with_scale / 8;
}

std::int64_t layers_with_attention(const ModelConfig& config, LayerRange layers) {
  return layers_of_kind(config, LayerKind::transformer, layers) +
         layers_of_kind(config, LayerKind::attention, layers);
}

}  // namespace

double kv_bytes_per_token(const ModelConfig& config, DataType dtype) {
  return static_cast<double>(layers_with_attention(config, all_layers(config))) *
         layer_token_bytes(config, dtype, config.num_key_value_heads);
}

double kv_bytes(const ModelConfig& config, LayerRange layers, DataType dtype, double tokens,
                std::int64_t tensor_parallel) {
  double kept_tokens = 0;
  for (std::int64_t layer = layers.first; layer < layers.first + layers.count; ++layer) {
    if (!has_attention(layer_kind(config, layer))) continue;
    const std::int64_t window = window_of_layer(config, layer);
    kept_tokens += window > 0 ? std::min(tokens, static_cast<double>(window)) : tokens;
  }
  const std::int64_t heads =
      std::max<std::int64_t>(1, config.num_key_value_heads / tensor_parallel);
  return kept_tokens * layer_token_bytes(config, dtype, heads);
}

double kv_bytes(const ModelConfig& config, DataType dtype, double tokens) {
  return kv_bytes(config, all_layers(config), dtype, tokens);
}

double state_bytes(const ModelConfig& config, LayerRange layers, std::int64_t tensor_parallel) {
  const std::int64_t held = layers_of_kind(config, LayerKind::mamba, layers);
  if (held == 0) return 0;
  return static_cast<double>(held) * state_bytes(shard(config.mamba, tensor_parallel));
}

}  // namespace tradewind::model
