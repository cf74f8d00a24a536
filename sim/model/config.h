#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/data_type.h"
#include "sim/model/mamba.h"

namespace tradewind::model {

/// What one layer is made of. Hybrid models give each part a layer of its own.
enum class LayerKind {
  transformer,  ///< attention, then MLP, each behind a norm
  mamba,        ///< one norm, one Mamba-2 mixer
  attention,    ///< one norm, attention alone
  mlp,          ///< one norm, MLP alone
};
inline constexpr std::array<LayerKind, 4> kLayerKinds = {LayerKind::transformer, LayerKind::mamba,
                                                         LayerKind::attention, LayerKind::mlp};
inline constexpr std::array<std::string_view, 4> kLayerKindNames = {"transformer", "mamba",
                                                                    "attention", "mlp"};
constexpr std::string_view to_string(LayerKind kind) {
  return kLayerKindNames[static_cast<std::size_t>(kind)];
}
constexpr bool has_attention(LayerKind kind) {
  return kind == LayerKind::transformer || kind == LayerKind::attention;
}
constexpr bool has_mlp(LayerKind kind) {
  return kind == LayerKind::transformer || kind == LayerKind::mlp;
}

/// The dimensions of a decoder (transformer, Mamba-2 or a hybrid of both), in the spelling of
/// Hugging Face's `config.json`. Every default of the family is filled in, so nothing after the
/// reader knows families. Sizes of parts that no layer has are 0.
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
  bool qk_norm = false;            ///< RMS norm over head_dim on queries and on keys
  bool rope = true;                ///< rotary position embedding of queries and keys
  bool learned_positions = false;  ///< a table of positions is added to the embedding
  bool norm_bias = false;          ///< layer norms: a scale and a shift
  bool dropout = false;            ///< of attention, its output and the MLP's, in training
  bool gated_mlp = true;  ///< SwiGLU: gate and up projections; false: up alone, squared ReLU
  MambaDimensions mamba;  ///< of every Mamba layer
  std::vector<LayerKind> layer_kinds;  ///< by layer; empty = all transformer
  DataType torch_dtype = DataType::bf16;
  std::string quantization;  ///< `quant_method` of the checkpoint, empty = none; recorded only

  bool operator==(const ModelConfig&) const = default;
};

/// Consecutive layers, as a pipeline stage holds them.
struct LayerRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
inline LayerRange all_layers(const ModelConfig& config) {
  return {0, config.num_hidden_layers};
}

inline LayerKind layer_kind(const ModelConfig& config, std::int64_t layer) {
  if (config.layer_kinds.empty()) return LayerKind::transformer;
  return config.layer_kinds[static_cast<std::size_t>(layer)];
}

/// How many of these layers are of that kind.
inline std::int64_t layers_of_kind(const ModelConfig& config, LayerKind kind, LayerRange range) {
  if (config.layer_kinds.empty()) return kind == LayerKind::transformer ? range.count : 0;
  const auto first = config.layer_kinds.begin() + range.first;
  return std::count(first, first + range.count, kind);
}

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
