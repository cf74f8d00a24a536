#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/data_type.h"
#include "sim/model/config.h"

namespace tradewind::model {

// What a configuration implies by arithmetic. With h = hidden_size, i = intermediate_size,
// q = num_attention_heads x head_dim, k = num_key_value_heads x head_dim, v = vocab_size, and of a
// Mamba-2 layer d = inner_size, c = conv_channels, w = conv_kernel, H = num_heads (layer structure:
// Touvron et al., arXiv 2302.13971, section 2.2; Dao and Gu, arXiv 2405.21060, section 7.1; and
// Hugging Face's modeling_*.py for biases and query/key norms):
//
//   attention  h (q + 2k) + q h       (+ q + 2k with qkv_bias, + h with o_bias)
//   mlp        3 h i when gated       (+ 2i + h with mlp_bias; without the gate 2 h i, i + h)
//   mamba      h (d + c + H) + c w + 3 H + d + d h    (+ c with conv_bias, and projection biases)
//   norms      h before each part     (+ 2 head_dim with qk_norm)
//   total      v h + layers + h + v h when untied

/// One linear layer: y[out_features] = W x[in_features] (+ bias).
struct WeightMatrix {
  /// Megatron's split over devices (arXiv 1909.08053, section 3): column-parallel matrices share
  /// out their outputs, row-parallel ones their inputs, and need a sum over devices afterwards.
  enum class Sharding { column, row };

  std::string_view name;
  std::int64_t in_features = 0;
  std::int64_t out_features = 0;
  Sharding sharding = Sharding::column;
  bool bias = false;

  std::int64_t parameters() const { return (in_features + (bias ? 1 : 0)) * out_features; }
};

/// The matrices of one layer of that kind in the order of execution: `qkv_proj`, `o_proj`,
/// `gate_up_proj` (or `up_proj`), `down_proj`; of a Mamba layer `in_proj`, `out_proj`; fused as
/// vLLM and Megatron-LM run them. With `tensor_parallel` > 1: the part of one device; a key/value
/// head is copied where there are fewer than devices, as vLLM does.
/// `tensor_parallel` must divide heads and intermediate_size, and divide or be a multiple of the
/// key/value heads (for Mamba see `shard`).
std::vector<WeightMatrix> layer_matrices(const ModelConfig& config, LayerKind kind,
                                         std::int64_t tensor_parallel = 1);

/// Exact numbers of parameters of one layer by part, biases included.
struct LayerParameters {
  std::int64_t attention = 0;
  std::int64_t mlp = 0;
  std::int64_t mamba = 0;  ///< with convolution, per-head scalars and the gated norm
  std::int64_t norms = 0;  ///< before each part; query and key norms

  std::int64_t total() const { return attention + mlp + mamba + norms; }
};
LayerParameters layer_parameters(const ModelConfig& config, LayerKind kind);

/// Exact numbers of parameters of the model.
struct ParameterCount {
  std::int64_t embedding = 0;  ///< with the table of positions, if there is one
  std::int64_t head = 0;       ///< 0 when tied to the embedding
  std::int64_t final_norm = 0;
  std::int64_t layers = 0;  ///< of all of them

  std::int64_t total() const { return embedding + layers + final_norm + head; }
};
ParameterCount parameters(const ModelConfig& config);

/// Of one layer on one device: what is in no matrix and no bias of a matrix (norms, and in a Mamba
/// layer convolution, decay, skip and time-step scalars). Norms over the hidden size are copied.
std::int64_t vector_parameters(const ModelConfig& config, LayerKind kind,
                               std::int64_t tensor_parallel = 1);

/// Tensors that live at once in a Mamba layer on one device, in elements a token: the projection
/// with the outputs of convolution and scan; 0 in a model without such layers.
double mamba_width(const ModelConfig& config, std::int64_t tensor_parallel);

/// Model FLOPs of one forward pass of one sequence (a multiplication and an addition are 2):
/// 2 per weight of layers and head and token (the embedding is a gather; norms, biases and
/// activation functions are not counted), 4 q per query-key pair and attention for Q K^T and P V,
/// and `scan_flops` for each Mamba layer.
/// Narayanan et al., arXiv 2104.04473, section 5.1, with the causal half of the square left out.
double forward_flops(const ModelConfig& config, double new_tokens, double cached_tokens);

/// The part of it that turns the last hidden states of so many tokens into logits.
double logits_flops(const ModelConfig& config, double tokens);

/// Query-key pairs of causal attention of `new_tokens` behind `cached_tokens` in one layer: the
/// i-th new token sees min(cached + i, window) keys, its own included (window 0: no limit).
double attention_pairs(double new_tokens, double cached_tokens, std::int64_t window);

}  // namespace tradewind::model
