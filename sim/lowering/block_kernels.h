#pragma once

#include "sim/lowering/layer_writer.h"
#include "sim/lowering/pass.h"

namespace tradewind::lowering {

/// The kernels of one device for one pass, priced: the decoder block of the llama family (arXiv
/// 2603.05692, sections 2.1 and 3, lists the same kernels).
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
  /// The same for any sequences: means of what each has, as a mixed batch asks for.
  Kernel prefill_attention(bool windowed, double sequences, double new_tokens,
                           double context) const;
  Kernel decode_attention(bool windowed, double sequences, double context) const;

 private:
  bool ulysses() const { return scenario_.plan.ulysses > 1; }
  /// Products of the normalised input of these widths, in one where the runtime fuses them.
  std::vector<Product> projections(KernelKind kind, const std::vector<double>& widths) const;
  void add_attention_and_output(Segment& segment, bool windowed, const Product& output) const;
  void add_exchanged_attention(Segment& segment, bool windowed, const Product& output) const;
  bool splits_queries(scenario::OverlapSite site) const;
  /// Attention of `rows` of the pass's queries against all keys.
  Kernel attention_slice(bool windowed, double rows, double compute_units_free) const;
  kernels::AttentionPrefillShape prefill_shape(bool windowed, double sequences, double new_tokens,
                                               double context) const;

  const scenario::Scenario& scenario_;
  const model::ModelConfig& model_;
  const kernels::Book& book_;
  PassShape shape_;
  LayerWriter write_;
  double q_heads_;   ///< of this device, in attention
  double kv_heads_;  ///< of this device, at least one: replicated when tp exceeds them
};

}  // namespace tradewind::lowering
