#pragma once

#include "sim/lowering/pass.h"
#include "sim/lowering/region.h"

namespace tradewind::lowering {

/// The kernels of one device for one pass, priced: the decoder block of the llama family, sharded
/// as Megatron does (arXiv 1909.08053 section 3; with sequence parallelism arXiv 2205.05198 section
/// 4.2.2) or by Ulysses (arXiv 2309.14509 section 3). arXiv 2603.05692, sections 2.1 and 3, lists
/// the same kernels.
class BlockKernels {
 public:
  BlockKernels(const scenario::Scenario& scenario, const kernels::Book& book,
               const PassShape& shape);

  Segment embedding() const;  ///< vocabulary-parallel: gather, then all-reduce or reduce-scatter
  Segment take_over() const;  ///< gathers the slices that the previous stage's ranks sent
  Segment attention(bool windowed) const;  ///< norm to all-reduce
  Segment mlp() const;
  Segment transformer(bool windowed) const;
  Segment head() const;  ///< final norm, vocabulary-parallel head, sampling
  Kernel attention_core(bool windowed) const;

 private:
  struct Product {
    KernelKind kind;
    double out_features, in_features;
  };

  bool sequence_parallel() const { return scenario_.plan.sequence_parallel && tp_ > 1; }
  bool ulysses() const { return scenario_.plan.ulysses > 1; }
  bool quantizes() const;
  double communication_bytes(double columns) const;

  void add_elementwise(Segment& segment, KernelKind kind, kernels::ElementwiseKind work,
                       double rows, double cols) const;
  void add_norm(Segment& segment) const;
  void add_gemm(Segment& segment, const Product& product, double rows,
                double compute_units_free = 1) const;
  void add_collective(Segment& segment, KernelKind kind, double rows, double columns) const;
  /// The products, after an all-gather of their input where the layout has one.
  void add_column_parallel(Segment& segment, const Product& product) const;
  void add_row_parallel(Segment& segment, const Product& product) const;
  void add_attention_and_output(Segment& segment, bool windowed, const Product& output) const;
  void add_exchanged_attention(Segment& segment, bool windowed, const Product& output) const;

  PairSpec reduced(std::function<Segment(double, double)> compute) const;
  bool splits_queries(scenario::OverlapSite site) const;
  /// Attention of `rows` of the pass's queries against all keys.
  Kernel attention_slice(bool windowed, double rows, double compute_units_free) const;
  kernels::AttentionPrefillShape prefill_shape(bool windowed) const;

  const scenario::Scenario& scenario_;
  const model::ModelConfig& model_;
  const kernels::Book& book_;
  PassShape shape_;
  double tp_;
  double hidden_;
  double rows_;       ///< tokens of a device in its matrix products
  double norm_rows_;  ///< tokens of a device in its norms and residuals
  double q_heads_;    ///< of this device, in attention
  double kv_heads_;   ///< of this device, at least one: replicated when tp exceeds them
};

}  // namespace tradewind::lowering
