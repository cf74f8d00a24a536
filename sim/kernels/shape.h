#pragma once

#include <string_view>
#include <variant>

#include "sim/core/data_type.h"
#include "sim/model/mamba.h"

namespace tradewind::kernels {

/// C[m,n] = A[m,k] B[k,n]: m tokens, n output and k input features of this device's shard.
struct GemmShape {
  double m = 0, n = 0, k = 0;
  DataType dtype = DataType::bf16;         ///< in which the matrix units multiply
  DataType weight_dtype = DataType::bf16;  ///< as stored (w4a16: int4 weights, bf16 arithmetic)
  DataType output_dtype = DataType::bf16;
};

/// `q_tokens` new tokens of each of `batch` sequences against `kv_tokens` (the new ones included).
struct AttentionPrefillShape {
  double batch = 0, q_tokens = 0, kv_tokens = 0;
  double q_heads = 0, kv_heads = 0, head_dim = 0;
  bool causal = true;
  DataType dtype = DataType::bf16;     ///< of the arithmetic
  DataType kv_dtype = DataType::bf16;  ///< of the cache
  double window = 0;                   ///< sliding window in tokens; 0 = none
};

/// One new token of each of `batch` sequences against `kv_tokens` cached ones.
struct AttentionDecodeShape {
  double batch = 0, kv_tokens = 0;
  double q_heads = 0, kv_heads = 0, head_dim = 0;
  DataType kv_dtype = DataType::bf16;
  double window = 0;
};

/// The state-space recurrence of one Mamba-2 layer: `tokens` new ones of each of `batch` sequences.
struct StateSpaceShape {
  double batch = 0, tokens = 0;
  model::MambaDimensions mamba;  ///< of this device's shard (model::shard)
  DataType dtype = DataType::bf16;
};

enum class ElementwiseKind {
  rms_norm,
  add_rms_norm,
  rope,
  silu_mul,
  quantize,
  residual_add,
  kv_cache_write,
  embedding,
  sampling,
  gated_rms_norm,
  causal_conv1d,
  relu2,
};

/// A kernel that moves data: `rows` tokens of `cols` elements each (cols: width of the input row
/// of this device's shard; silu_mul: of the output row; sampling: of the logits; causal_conv1d: the
/// channels, and in decode times the taps, as every channel's window is read and shifted).
struct ElementwiseShape {
  ElementwiseKind kind = ElementwiseKind::rms_norm;
  double rows = 0, cols = 0;
  DataType dtype = DataType::bf16;
};

enum class CollectiveOp { all_reduce, all_gather, reduce_scatter, all_to_all, send_recv };

/// `bytes` as nccl-tests counts them: per-rank buffer of all_reduce and send_recv, total output of
/// all_gather, total input of reduce_scatter and all_to_all. `devices` over all `nodes` together.
struct CollectiveShape {
  CollectiveOp op = CollectiveOp::all_reduce;
  int devices = 1, nodes = 1;
  double bytes = 0;
};

using Shape = std::variant<GemmShape, AttentionPrefillShape, AttentionDecodeShape, ElementwiseShape,
                           CollectiveShape, StateSpaceShape>;

}  // namespace tradewind::kernels
