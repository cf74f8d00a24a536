#include "sim/lowering/block_kernels.h"

#include <algorithm>
#include <cmath>

namespace tradewind::lowering {

using kernels::CollectiveOp;
using kernels::ElementwiseKind;

BlockKernels::BlockKernels(const scenario::Scenario& scenario, const kernels::Book& book,
                           const PassShape& shape)
    : scenario_(scenario),
      model_(*scenario.model),
      book_(book),
      shape_(shape),
      tp_(scenario.plan.tp),
      q_heads_(static_cast<double>(model_.num_attention_heads) / tp_),
      kv_heads_(std::max(1.0, static_cast<double>(model_.num_key_value_heads) / tp_)) {}

bool BlockKernels::quantizes() const {
  const DataType activations = scenario_.precision.activations;
  return activations != DataType::bf16 && activations != DataType::fp16 &&
         !scenario_.runtime->fused_quantize;
}

kernels::Cost BlockKernels::collective(CollectiveOp op, double bytes) const {
  const int per_node = scenario_.cluster->node.devices;
  const int nodes = std::max(1, (scenario_.plan.tp + per_node - 1) / per_node);
  return book_.collective({op, scenario_.plan.tp, nodes, bytes});
}

void BlockKernels::add_elementwise(Segment& segment, KernelKind kind, ElementwiseKind work,
                                   double rows, double cols) const {
  segment.emplace_back(kind, book_.elementwise({work, rows, cols, DataType::bf16}));
}

void BlockKernels::add_norm(Segment& segment) const {
  const double hidden = static_cast<double>(model_.hidden_size);
  if (scenario_.runtime->fused_add_rms_norm) {
    add_elementwise(segment, KernelKind::rms_norm, ElementwiseKind::add_rms_norm, shape_.tokens(),
                    hidden);
    return;
  }
  add_elementwise(segment, KernelKind::residual_add, ElementwiseKind::residual_add, shape_.tokens(),
                  hidden);
  add_elementwise(segment, KernelKind::rms_norm, ElementwiseKind::rms_norm, shape_.tokens(),
                  hidden);
}

void BlockKernels::add_gemm(Segment& segment, KernelKind kind, double tokens, double out_features,
                            double in_features) const {
  if (quantizes()) {
    add_elementwise(segment, KernelKind::quantize, ElementwiseKind::quantize, tokens, in_features);
  }
  kernels::GemmShape gemm{tokens, out_features, in_features};
  gemm.dtype = scenario_.precision.activations;
  gemm.weight_dtype = scenario_.precision.weights;
  segment.emplace_back(kind, book_.gemm(gemm));
}

void BlockKernels::add_all_reduce(Segment& segment, double tokens) const {
  if (scenario_.plan.tp == 1) return;
  const double bytes = tokens * static_cast<double>(model_.hidden_size) *
                       bytes_per_element(scenario_.precision.communication);
  segment.emplace_back(KernelKind::all_reduce, collective(CollectiveOp::all_reduce, bytes));
}

Kernel BlockKernels::attention_core(bool windowed) const {
  const double head_dim = static_cast<double>(model_.head_dim);
  const double window = windowed ? static_cast<double>(model_.sliding_window) : 0;
  if (shape_.phase == Phase::decode) {
    kernels::AttentionDecodeShape decode{static_cast<double>(shape_.sequences),
                                         static_cast<double>(shape_.context),
                                         q_heads_,
                                         kv_heads_,
                                         head_dim,
                                         scenario_.precision.kv_cache,
                                         window};
    return {KernelKind::attention, book_.attention_decode(decode)};
  }
  kernels::AttentionPrefillShape prefill;
  prefill.batch = shape_.sequences;
  prefill.q_tokens = shape_.new_tokens;
  prefill.kv_tokens = shape_.context;
  prefill.q_heads = q_heads_;
  prefill.kv_heads = kv_heads_;
  prefill.head_dim = head_dim;
  prefill.kv_dtype = scenario_.precision.kv_cache;
  prefill.window = window;
  return {KernelKind::attention, book_.attention_prefill(prefill)};
}

Segment BlockKernels::attention(bool windowed) const {
  const double tokens = shape_.tokens();
  const double hidden = static_cast<double>(model_.hidden_size);
  const double head_dim = static_cast<double>(model_.head_dim);
  const double qkv = (q_heads_ + 2 * kv_heads_) * head_dim;

  Segment segment;
  segment.reserve(10);
  add_norm(segment);
  add_gemm(segment, KernelKind::qkv_gemm, tokens, qkv, hidden);
  const double rotated = (q_heads_ + kv_heads_) * head_dim;
  add_elementwise(segment, KernelKind::rope, ElementwiseKind::rope, tokens, rotated);
  if (!scenario_.runtime->fused_rope_kv_write) {
    add_elementwise(segment, KernelKind::kv_cache_write, ElementwiseKind::kv_cache_write, tokens,
                    2 * kv_heads_ * head_dim);
  }
  segment.push_back(attention_core(windowed));
  add_gemm(segment, KernelKind::out_gemm, tokens, hidden, q_heads_ * head_dim);
  add_all_reduce(segment, tokens);
  return segment;
}

Segment BlockKernels::mlp() const {
  const double tokens = shape_.tokens();
  const double hidden = static_cast<double>(model_.hidden_size);
  const double intermediate = static_cast<double>(model_.intermediate_size) / tp_;

  Segment segment;
  segment.reserve(8);
  add_norm(segment);
  add_gemm(segment, KernelKind::gate_up_gemm, tokens, 2 * intermediate, hidden);
  add_elementwise(segment, KernelKind::silu_mul, ElementwiseKind::silu_mul, tokens, intermediate);
  add_gemm(segment, KernelKind::down_gemm, tokens, hidden, intermediate);
  add_all_reduce(segment, tokens);
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
  add_elementwise(segment, KernelKind::embedding, ElementwiseKind::embedding, shape_.tokens(),
                  static_cast<double>(model_.hidden_size));
  add_all_reduce(segment, shape_.tokens());
  return segment;
}

Segment BlockKernels::take_over() const {
  Segment segment;
  if (scenario_.plan.tp == 1) return segment;
  const double bytes = shape_.tokens() * static_cast<double>(model_.hidden_size) *
                       bytes_per_element(scenario_.precision.communication);
  segment.emplace_back(KernelKind::all_gather, collective(CollectiveOp::all_gather, bytes));
  return segment;
}

Segment BlockKernels::head() const {
  Segment segment;
  // Only the last position of each sequence is projected to the vocabulary, in bf16.
  const double rows = shape_.sequences;
  const double hidden = static_cast<double>(model_.hidden_size);
  const double vocabulary = static_cast<double>(model_.vocab_size);
  add_elementwise(segment, KernelKind::rms_norm,
                  scenario_.runtime->fused_add_rms_norm ? ElementwiseKind::add_rms_norm
                                                        : ElementwiseKind::rms_norm,
                  rows, hidden);
  kernels::GemmShape gemm{rows, std::ceil(vocabulary / tp_), hidden};
  if (scenario_.runtime->weights_all_at_gemm_dtype) {
    gemm.dtype = scenario_.precision.activations;
    gemm.weight_dtype = scenario_.precision.weights;
  }
  segment.emplace_back(KernelKind::lm_head_gemm, book_.gemm(gemm));
  if (scenario_.plan.tp > 1) {
    const double bytes = rows * vocabulary * bytes_per_element(DataType::bf16);
    segment.emplace_back(KernelKind::all_gather, collective(CollectiveOp::all_gather, bytes));
  }
  add_elementwise(segment, KernelKind::sampling, ElementwiseKind::sampling, rows, vocabulary);
  return segment;
}

}  // namespace tradewind::lowering
