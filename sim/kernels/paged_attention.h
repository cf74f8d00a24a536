#pragma once

#include "sim/kernels/operation.h"

namespace tradewind::kernels {

/// Decode attention as vLLM's own paged kernels ran it up to 0.5 (csrc/attention, and the choice
/// between them in vllm/attention/ops/paged_attn.py): a thread block of 128 threads for each
/// sequence and *query* head walks through its keys block by block, on the vector units.
///
///   v1   one thread block a sequence and head: contexts that fit one partition of 512 tokens, or
///        more than 512 sequences x heads
///   v2   one for each partition of the context besides, and a second kernel that combines them
///   t        = launch + max'(roof, waves x block) [+ combine]
///   roof     = max((keys + values + queries + outputs) / bandwidth, FLOPs / peak)
///              / bandwidth_efficiency: the heads of a group run side by side, so that caches
///              serve all but the first of them
///   block    = tokens of the thread block / 32 x 2 x memory_latency: a round takes 32 tokens (a
///              block of 16 on each of two wavefronts of 64), keys first, then values
///   waves    = max'(1, thread blocks / (units x resident))
///   resident = shared memory of a unit / 4 bytes for each token that a block may have to weigh, at
///              most 16 (2048 threads a unit). v2: 512; v1: the longest context the server allows,
///              as captured graphs are launched for it, whatever the batch holds.
///
/// max' is smooth_max. Valid up to the 8192 tokens that v1 serves; v2 beyond.
struct PagedAttention {
  double longest_context = 8192;  ///< of the model or the captured graphs, the smaller
  double launch_latency_s = 0;
  double bandwidth_efficiency = 1;
  double combine_latency_s = 0;
};

/// A batch of 0 costs nothing.
Cost price_paged_attention(const AttentionDecodeShape& shape, const KernelMachine& machine,
                           const PagedAttention& kernel, Provenance provenance);

}  // namespace tradewind::kernels
