#pragma once

#include <span>

#include "sim/kernels/operation.h"

namespace tradewind::kernels {

/// Attention of many query tokens at once (prefill, chunked prefill, training forward), as tiled
/// kernels with an online softmax compute it (FlashAttention-2, arXiv 2307.08691, section 3;
/// FlashAttention-3, arXiv 2407.08608, section 3), together with the write of the new keys and
/// values to the cache that the measured libraries do in the same call.
///
///   t     = launch + write + max'(compute, traffic)
///   items = batch x kv_heads x query tiles of a group      one compute unit works on one item
///   tile  = |(matrix, exponentials)| / matrix_efficiency   one query tile x 128 keys
///   item  = item_latency + tile x mean key tiles,   longest = the same for the last query tile
///   compute = max'(longest, items / units x item + tail_exposure x longest)
///
/// max' is smooth_max. `matrix` = 4 x rows x 128 x head_dim FLOPs at one unit's share of the peak,
/// `exponentials` = rows x 128 at 16 a clock; they overlap, so the pair counts by its Euclidean
/// norm. Graham's bound on list scheduling (Bell System Technical Journal 45, 1966) has
/// tail_exposure = 1 for items started in any order, 0 for the longest first.
/// A causal query sees the keys up to its own, a sliding window only the last `window` of them;
/// a chunk (q_tokens < kv_tokens) starts behind the earlier keys. Where items are fewer than
/// units, their keys are split. Compute that lasts milliseconds runs at the sustained clock.
///
/// Checked for head_dim 128 and q_tokens = kv_tokens up to 16384; other head_dim, chunks and
/// windows rest on the mechanism. Expects q_tokens <= kv_tokens; nothing to do (batch or q_tokens
/// 0) costs nothing.
std::span<const Parameter> attention_prefill_parameters();

/// `coefficients` in the order of attention_prefill_parameters().
Cost price_attention_prefill(const AttentionPrefillShape& shape, const KernelMachine& machine,
                             std::span<const double> coefficients, Provenance provenance);

}  // namespace tradewind::kernels
