#pragma once

#include <cstdint>

#include "sim/core/data_type.h"

namespace tradewind::model {

/// The dimensions of a Mamba-2 layer (arXiv 2405.21060, section 7.1 and figure 6): an input
/// projection to gate, values, B, C and time steps; a causal depthwise convolution over values, B
/// and C; the state-space recurrence, head by head; a gated norm; an output projection. All 0 in a
/// model without such layers.
struct MambaDimensions {
  std::int64_t num_heads = 0;    ///< H
  std::int64_t head_dim = 0;     ///< P, channels of a head
  std::int64_t state_size = 0;   ///< N, states of a channel
  std::int64_t n_groups = 0;     ///< G, divides num_heads: heads of a group share B and C
  std::int64_t conv_kernel = 0;  ///< taps of the convolution
  std::int64_t chunk_size = 0;   ///< Q, tokens that the scan takes at once
  bool conv_bias = true;
  bool projection_bias = false;

  std::int64_t inner_size() const { return num_heads * head_dim; }
  std::int64_t conv_channels() const { return inner_size() + 2 * n_groups * state_size; }
  /// Outputs of the input projection: gate, what the convolution takes, a time step a head.
  std::int64_t projected_size() const { return inner_size() + conv_channels() + num_heads; }

  bool operator==(const MambaDimensions&) const = default;
};

/// The part of one of `tensor_parallel` devices: heads are shared out, groups too; a group is
/// copied where there are fewer than devices (arXiv 2405.21060, section 8.1; vLLM's MambaMixer2).
/// `tensor_parallel` must divide the heads, and divide or be a multiple of the groups.
MambaDimensions shard(const MambaDimensions& mamba, std::int64_t tensor_parallel);

/// FLOPs of the scan over `tokens` new tokens of one sequence, chunk by chunk, the last one as long
/// as it is (arXiv 2405.21060, section 6; q tokens in a chunk):
///
///   q (q + 1) / 2 x 2 (G N + H P)   C B^T and its product with the values, causal half
///   2 q N H P                       states that the chunk's tokens leave behind
///   2 q N H P                       outputs of the state before the chunk
///   2 N H P                         the state from chunk to chunk
///
/// One token is the recurrence itself, 6 N H P and a little.
double scan_flops(const MambaDimensions& mamba, double tokens);

/// How states are stored: as the activations (vLLM's mamba_cache_dtype "auto"; a recurrence would
/// pile up the rounding of anything narrower).
inline constexpr DataType kStateType = DataType::bf16;

/// Bytes that one sequence keeps in one layer, however long it is: N states a channel, and the last
/// conv_kernel - 1 inputs of the convolution.
double state_bytes(const MambaDimensions& mamba);

}  // namespace tradewind::model
