#pragma once

#include <cstdint>
#include <string>

#include "sim/core/data_type.h"

namespace tradewind::model {

/// The dimensions of a decoder-only transformer, in the spelling of Hugging Face's `config.json`.
/// Every default of the family is filled in, so nothing after the reader knows families.
struct ModelConfig {
  std::string name;
  std::string model_type;
  std::int64_t hidden_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;  ///< divides num_attention_heads
  std::int64_t head_dim = 0;             ///< need not be hidden_size / num_attention_heads
  std::int64_t intermediate_size = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  std::int64_t sliding_window = 0;        ///< tokens a query sees, itself included; 0 = all
  std::int64_t first_windowed_layer = 0;  ///< the layers before it see everything
  bool tie_word_embeddings = false;       ///< the head is the embedding transposed
  bool qkv_bias = false;
  bool o_bias = false;
  bool mlp_bias = false;
  bool qk_norm = false;   ///< RMS norm over head_dim on queries and on keys
  bool gated_mlp = true;  ///< SwiGLU: gate and up projections; false: up alone
  DataType torch_dtype = DataType::bf16;
  std::string quantization;  ///< `quant_method` of the checkpoint, empty = none; recorded only

  bool operator==(const ModelConfig&) const = default;
};

/// The window of that layer in tokens, 0 = none. A query sees itself and window - 1 before it.
constexpr std::int64_t window_of_layer(const ModelConfig& config, std::int64_t layer) {
  return layer >= config.first_windowed_layer ? config.sliding_window : 0;
}

/// How many of the layers have a window.
constexpr std::int64_t windowed_layers(const ModelConfig& config) {
  if (config.sliding_window == 0 || config.first_windowed_layer >= config.num_hidden_layers) {
    return 0;
  }
  return config.num_hidden_layers - config.first_windowed_layer;
}

}  // namespace tradewind::model
