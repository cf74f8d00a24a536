#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tradewind::model {

/// What a `model_type` means where its `config.json` is silent.
struct Family {
  std::string_view name;
  std::int64_t max_position_embeddings;
  std::int64_t head_dim;        ///< 0: hidden_size / num_attention_heads
  std::int64_t sliding_window;  ///< 0: none
  bool window_is_switched;  ///< needs use_sliding_window, and max_window_layers layers go without
  std::int64_t max_window_layers;
  bool qkv_bias;            ///< before attention_bias is looked at
  bool has_attention_bias;  ///< whether attention_bias decides about the four projections
  bool qk_norm;
};

/// Source: the defaults and the attention classes of Hugging Face transformers 4.5x,
/// models/{llama,mistral,qwen2,qwen3}/{configuration,modeling}_*.py. All four have a gated MLP, RMS
/// norms without bias, and an untied head unless the file says otherwise. Qwen2 hard-codes the bias
/// of its query, key and value projections.
inline constexpr std::array<Family, 4> kFamilies = {{
    {.name = "llama",
     .max_position_embeddings = 2048,
     .head_dim = 0,
     .sliding_window = 0,
     .window_is_switched = false,
     .max_window_layers = 0,
     .qkv_bias = false,
     .has_attention_bias = true,
     .qk_norm = false},
    {.name = "mistral",
     .max_position_embeddings = 131072,
     .head_dim = 0,
     .sliding_window = 4096,
     .window_is_switched = false,
     .max_window_layers = 0,
     .qkv_bias = false,
     .has_attention_bias = false,
     .qk_norm = false},
    {.name = "qwen2",
     .max_position_embeddings = 32768,
     .head_dim = 0,
     .sliding_window = 4096,
     .window_is_switched = true,
     .max_window_layers = 28,
     .qkv_bias = true,
     .has_attention_bias = false,
     .qk_norm = false},
    {.name = "qwen3",
     .max_position_embeddings = 32768,
     .head_dim = 128,
     .sliding_window = 4096,
     .window_is_switched = true,
     .max_window_layers = 28,
     .qkv_bias = false,
     .has_attention_bias = true,
     .qk_norm = true},
}};

}  // namespace tradewind::model
