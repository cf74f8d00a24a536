#pragma once

#include <span>

#include "sim/kernels/operation.h"

namespace tradewind::kernels {

/// Attention of one new token a sequence against its cache: keys and values are read once, spread
/// over the device by splitting them ("flash decoding", as in FlashAttention-3's split-KV path).
///
///   t      = launch + combine x (1 - 1 / splits) + overlapped(roof, work)
///   roof   = max((cache + queries + outputs) / bandwidth, FLOPs / peak) / bandwidth_efficiency
///   items  = batch x kv_heads x query tiles of a group,  splits so that items x splits fill
///            split_depth blocks on each compute unit, none shorter than one key tile
///   work   = max'(1, items x splits / units) x (item_latency + tile_latency x key tiles / splits)
///   overlapped(a, b) = max(a, b) + (1 - overlap) x min(a, b)
///
/// max' is smooth_max. Query heads of one group share the reads of their keys. Libraries with
/// vector_share > 0 instead serve a single head a group, or a group of more than 32, head by head
/// on the vector units at vector_token_latency a key (TensorRT-LLM's masked multi-head kernel).
///
/// Checked where the cache outgrows the L2 (over 50 MB), which is how serving meets it: each layer
/// has its own. A batch of 0 costs nothing.
std::span<const Parameter> attention_decode_parameters();

/// `coefficients` in the order of attention_decode_parameters().
Cost price_attention_decode(const AttentionDecodeShape& shape, const KernelMachine& machine,
                            std::span<const double> coefficients, Provenance provenance);

}  // namespace tradewind::kernels
