#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tradewind::model {

/// Which layers a family has, and so which keys its `config.json` has.
enum class Layers {
  transformer,
  mamba,   ///< Mamba-2 in every layer
  hybrid,  ///< a letter of `hybrid_override_pattern` for each layer
};

/// Where a model has no positions to run out of: the most that a scenario can ask for.
inline constexpr std::int64_t kEndless = std::int64_t{1} << 31;

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
  Layers layers = Layers::transformer;
  bool rope = true;
  bool gated_mlp = true;
  /// GPT-2: biases everywhere, layer norms, learned positions, dropout, a tied head, and its own
  /// spelling of sizes (n_embd, n_layer, n_head, n_positions, n_inner) beside the usual one.
  bool is_gpt2 = false;
};

/// Source: the defaults and the attention classes of Hugging Face transformers 4.5x,
/// models/{llama,mistral,qwen2,qwen3,mamba2,gpt2}/{configuration,modeling}_*.py, and for nemotron_h
/// the classes beside NVIDIA's checkpoints. All but GPT-2 have RMS norms without bias, and an
/// untied head unless the file says otherwise. Qwen2 hard-codes the bias of its query, key and
/// value projections. Nemotron-H squares a ReLU in its MLPs and leaves positions to its Mamba
/// layers.
inline constexpr std::array<Family, 7> kFamilies = {{
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
    {.name = "mamba2",
     .max_position_embeddings = kEndless,
     .head_dim = 0,
     .sliding_window = 0,
     .window_is_switched = false,
     .max_window_layers = 0,
     .qkv_bias = false,
     .has_attention_bias = false,
     .qk_norm = false,
     .layers = Layers::mamba},
    {.name = "nemotron_h",
     .max_position_embeddings = 4096,
     .head_dim = 128,
     .sliding_window = 0,
     .window_is_switched = false,
     .max_window_layers = 0,
     .qkv_bias = false,
     .has_attention_bias = true,
     .qk_norm = false,
     .layers = Layers::hybrid,
     .rope = false,
     .gated_mlp = false},
    {.name = "gpt2",
     .max_position_embeddings = 1024,
     .head_dim = 0,
     .sliding_window = 0,
     .window_is_switched = false,
     .max_window_layers = 0,
     .qkv_bias = true,
     .has_attention_bias = false,
     .qk_norm = false,
     .rope = false,
     .gated_mlp = false,
     .is_gpt2 = true},
}};

/// The family of that name, which must be one of them.
constexpr const Family& family_of(std::string_view model_type) {
  for (const Family& family : kFamilies) {
    if (family.name == model_type) return family;
  }
  return kFamilies.front();
}

}  // namespace tradewind::model
