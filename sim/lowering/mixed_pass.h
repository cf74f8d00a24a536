#pragma once

#include <cstdint>

#include "sim/lowering/pass.h"

namespace tradewind::lowering {

/// What one step of continuous batching carries: sequences that decode, and chunks of prompts. They
/// share every matrix product, norm and collective; attention and recurrences take each kind by
/// itself (a mixed batch: Sarathi-Serve, arXiv 2403.02310, section 4.1).
struct MixedShape {
  std::int64_t decodes = 0;   ///< sequences with one new token
  double decode_context = 0;  ///< their mean tokens in the cache, the new one included
  std::int64_t chunks = 0;
  std::int64_t chunk_tokens = 0;  ///< of all chunks together
  /// Mean tokens in the cache at a chunk's end, weighted so that equal chunks of the mean length do
  /// as many query-key products: prices a batch of unequal chunks as one kernel.
  double chunk_context = 0;
  std::int64_t sampled = 0;  ///< sequences that get a token

  std::int64_t tokens() const { return decodes + chunk_tokens; }
  Phase phase() const { return chunks > 0 ? Phase::prefill : Phase::decode; }
};

/// The step's kernels but for the head. What depends on the sequences (attention, Mamba's
/// convolution and recurrence) is there once for the decodes and once for the chunks, and is filled
/// in by set_sequences.
PassKernels lower_mixed(const scenario::Scenario& scenario, const kernels::Book& book,
                        const MixedShape& shape);

/// Prices what depends on the sequences anew: the only difference between steps of as many tokens.
/// `kernels` comes from lower_mixed with as many tokens, and decodes and chunks where `shape` has.
void set_sequences(PassKernels& kernels, const scenario::Scenario& scenario,
                   const kernels::Book& book, const MixedShape& shape);

constexpr bool depends_on_sequences(KernelKind kind) {
  return kind == KernelKind::attention || kind == KernelKind::causal_conv1d ||
         kind == KernelKind::state_space_scan;
}

/// Final norm, vocabulary projection and sampling of `sampled` sequences.
Segment lower_head(const scenario::Scenario& scenario, const kernels::Book& book,
                   std::int64_t sampled);

}  // namespace tradewind::lowering
