#include "sim/lowering/block_kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tradewind::lowering {

using kernels::ElementwiseKind;
using scenario::OverlapSite;

BlockKernels::BlockKernels(const scenario::Scenario& scenario, const kernels::Book& book,
                           const PassShape& shape)
    : scenario_(scenario),
      model_(*scenario.model),
      book_(book),
      shape_(shape),
      write_(scenario, book, shape.tokens()),
      q_heads_(static_cast<double>(model_.num_attention_heads) / scenario.plan.group()),
      kv_heads_(
          std::max(1.0, static_cast<double>(model_.num_key_value_heads) / scenario.plan.group())) {}

kernels::AttentionPrefillShape BlockKernels::prefill_shape(bool windowed, double sequences,
                                                           double new_tokens,
                                                           double context) const {
  kernels::AttentionPrefillShape prefill;
  prefill.batch = sequences;
  prefill.q_tokens = new_tokens;
  prefill.kv_tokens = context;
  prefill.q_heads = q_heads_;
  prefill.kv_heads = kv_heads_;
  prefill.head_dim = static_cast<double>(model_.head_dim);
  prefill.kv_dtype = scenario_.precision.kv_cache;
  prefill.window = windowed ? static_cast<double>(model_.sliding_window) : 0;
  return prefill;
}

Kernel BlockKernels::prefill_attention(bool windowed, double sequences, double new_tokens,
                                       double context) const {
  return {KernelKind::attention,
          book_.attention_prefill(prefill_shape(windowed, sequences, new_tokens, context))};
}

Kernel BlockKernels::decode_attention(bool windowed, double sequences, double context) const {
  const double window = windowed ? static_cast<double>(model_.sliding_window) : 0;
  const kernels::AttentionDecodeShape decode{sequences,
                                             context,
                                             q_heads_,
                                             kv_heads_,
                                             static_cast<double>(model_.head_dim),
                                             scenario_.precision.kv_cache,
                                             window};
  return {KernelKind::attention, book_.attention_decode(decode)};
}

Kernel BlockKernels::attention_core(bool windowed) const {
  return shape_.phase == Phase::prefill
             ? prefill_attention(windowed, shape_.sequences, shape_.new_tokens, shape_.context)
             : decode_attention(windowed, shape_.sequences, shape_.context);
}

Kernel BlockKernels::attention_slice(bool windowed, double rows, double compute_units_free) const {
  kernels::AttentionPrefillShape slice =
      prefill_shape(windowed, shape_.sequences, shape_.new_tokens, shape_.context);
  const double queries = std::ceil(rows / slice.batch);
  // Causal queries see fewer keys the earlier they stand. Slices take an early and a late piece
  // each, as load-balanced context parallelism does (arXiv 2310.03294), so that all cost the same:
  // as one piece that ends in the middle does.
  slice.kv_tokens -= (slice.q_tokens - queries) / 2;
  slice.q_tokens = queries;
  return {KernelKind::attention, book_.attention_prefill(slice, compute_units_free)};
}

/// Only `flash` says how to split queries (arXiv 2604.24013, algorithms 4 and 5), and only a
/// prefill has several of one sequence.
bool BlockKernels::splits_queries(OverlapSite site) const {
  const scenario::Overlap& overlap = scenario_.plan.overlap;
  return overlap.strategy == "flash" && overlap.covers(site) && shape_.phase == Phase::prefill;
}

void BlockKernels::add_attention_and_output(Segment& segment, bool windowed,
                                            const Product& output) const {
  if (scenario_.plan.tp == 1 || !splits_queries(OverlapSite::attention_query_split)) {
    segment.emplace_back(attention_core(windowed));
    write_.row_parallel(segment, output);
    return;
  }
  const auto compute = [this, windowed, output](double rows, double compute_units_free) {
    Segment slice;
    const bool whole = rows >= shape_.tokens();
    slice.emplace_back(whole ? attention_core(windowed)
                             : attention_slice(windowed, rows, compute_units_free));
    write_.gemm(slice, output, rows, compute_units_free);
    return slice;
  };
  write_.reduced(segment, compute, OverlapSite::attention_query_split);
}

void BlockKernels::add_exchanged_attention(Segment& segment, bool windowed,
                                           const Product& output) const {
  const double width = q_heads_ * static_cast<double>(model_.head_dim);
  const auto compute = [this, windowed](double rows, double compute_units_free) {
    Segment slice;
    const bool whole = rows >= shape_.tokens();
    slice.emplace_back(whole ? attention_core(windowed)
                             : attention_slice(windowed, rows, compute_units_free));
    return slice;
  };
  const PairSpec pair{Pair::compute_exchange,
                      KernelKind::all_to_all,
                      shape_.tokens(),
                      write_.communication_bytes(width),
                      0,
                      compute};
  if (shape_.phase == Phase::prefill) {
    add_pair(segment, scenario_, book_, pair, OverlapSite::all_to_all);
  } else {
    segment.emplace_back(attention_core(windowed));
    segment.emplace_back(pair_collective(scenario_, book_, pair, pair.rows));
  }
  write_.gemm(segment, output, write_.rows());
}

std::vector<Product> BlockKernels::projections(KernelKind kind,
                                               const std::vector<double>& widths) const {
  if (scenario_.runtime->fused_projections) {
    return {{kind, std::accumulate(widths.begin(), widths.end(), 0.0), write_.hidden()}};
  }
  std::vector<Product> products;
  products.reserve(widths.size());
  for (const double width : widths) products.push_back({kind, width, write_.hidden()});
  return products;
}

Segment BlockKernels::attention(bool windowed) const {
  const double head_dim = static_cast<double>(model_.head_dim);
  // Ulysses projects whole heads for its tokens, then trades tokens for heads.
  const double shards = scenario_.plan.ulysses;
  const double q_heads = q_heads_ * shards;
  const double kv_heads = ulysses() ? static_cast<double>(model_.num_key_value_heads) : kv_heads_;
  const double rows = shape_.tokens();

  Segment segment;
  segment.reserve(10);
  write_.norm(segment);
  write_.column_parallel(
      segment, projections(KernelKind::qkv_gemm,
                           {q_heads * head_dim, kv_heads * head_dim, kv_heads * head_dim}));
  if (ulysses()) {
    write_.collective(segment, KernelKind::all_to_all, rows, (q_heads_ + 2 * kv_heads_) * head_dim);
  }
  if (model_.rope) {
    write_.elementwise(segment, KernelKind::rope, ElementwiseKind::rope, rows,
                       (q_heads_ + kv_heads_) * head_dim);
  }
  if (!model_.rope || !scenario_.runtime->fused_rope_kv_write) {
    write_.elementwise(segment, KernelKind::kv_cache_write, ElementwiseKind::kv_cache_write, rows,
                       2 * kv_heads_ * head_dim);
  }
  const Product output{KernelKind::out_gemm, write_.hidden(), q_heads * head_dim};
  if (ulysses()) {
    add_exchanged_attention(segment, windowed, output);
  } else {
    add_attention_and_output(segment, windowed, output);
  }
  return segment;
}

Segment BlockKernels::mlp() const {
  const double intermediate = static_cast<double>(model_.intermediate_size) / write_.tp();
  Segment segment;
  segment.reserve(8);
  write_.norm(segment);
  if (model_.gated_mlp) {
    write_.column_parallel(segment,
                           projections(KernelKind::gate_up_gemm, {intermediate, intermediate}));
    write_.elementwise(segment, KernelKind::silu_mul, ElementwiseKind::silu_mul, write_.rows(),
                       intermediate);
  } else {
    write_.column_parallel(segment, projections(KernelKind::gate_up_gemm, {intermediate}));
    write_.elementwise(segment, KernelKind::relu2, ElementwiseKind::relu2, write_.rows(),
                       intermediate);
  }
  write_.row_parallel(segment, {KernelKind::down_gemm, write_.hidden(), intermediate});
  return segment;
}

Segment BlockKernels::transformer(bool windowed) const {
  Segment segment = attention(windowed);
  Segment second = mlp();
  segment.insert(segment.end(), second.begin(), second.end());
  return segment;
}

Segment BlockKernels::embedding() const {
  Segment segment;
  write_.elementwise(segment, KernelKind::embedding, ElementwiseKind::embedding, write_.rows(),
                     write_.hidden());
  if (write_.tp() == 1) return segment;
  write_.collective(
      segment, write_.sequence_parallel() ? KernelKind::reduce_scatter : KernelKind::all_reduce,
      write_.rows(), write_.hidden());
  return segment;
}

Segment BlockKernels::take_over() const {
  Segment segment;
  // With the sequence sharded each rank takes over from its like: nothing to gather.
  if (write_.tp() == 1 || write_.sequence_parallel()) return segment;
  write_.collective(segment, KernelKind::all_gather, shape_.tokens(), write_.hidden());
  return segment;
}

Segment BlockKernels::head() const {
  Segment segment;
  // Only the last position of each sequence is projected to the vocabulary, in bf16.
  const double rows = std::ceil(static_cast<double>(shape_.sequences) / scenario_.plan.ulysses);
  const double vocabulary = static_cast<double>(model_.vocab_size);
  if (write_.sequence_parallel()) {
    write_.collective(segment, KernelKind::all_gather, rows, write_.hidden());
  }
  write_.elementwise(segment, KernelKind::rms_norm,
                     scenario_.runtime->fused_add_rms_norm ? ElementwiseKind::add_rms_norm
                                                           : ElementwiseKind::rms_norm,
                     rows, write_.hidden());
  kernels::GemmShape gemm{rows, std::ceil(vocabulary / write_.tp()), write_.hidden()};
  if (scenario_.runtime->weights_all_at_gemm_dtype) {
    gemm.dtype = scenario_.precision.activations;
    gemm.weight_dtype = scenario_.precision.weights;
  }
  segment.emplace_back(Kernel(KernelKind::lm_head_gemm, book_.gemm(gemm)));
  if (write_.tp() > 1) {
    const double logits = vocabulary * bytes_per_element(DataType::bf16) /
                          bytes_per_element(scenario_.precision.communication);
    write_.collective(segment, KernelKind::all_gather, rows, logits);
  }
  write_.elementwise(segment, KernelKind::sampling, ElementwiseKind::sampling, rows, vocabulary);
  return segment;
}

}  // namespace tradewind::lowering
