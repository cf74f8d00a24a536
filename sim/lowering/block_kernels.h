#pragma once

#include "sim/lowering/pass.h"

namespace tradewind::lowering {

/// The kernels of one device for one pass, priced: the Megatron-sharded decoder block of the llama
/// family (arXiv 1909.08053 section 3; arXiv 2603.05692 sections 2.1 and 3 list the same kernels).
class BlockKernels {
 public:
  BlockKernels(const scenario::Scenario& scenario, const kernels::Book& book,
               const PassShape& shape);

  Segment embedding() const;  ///< vocabulary-parallel: gather, then all-reduce
  Segment take_over() const;  ///< gathers the slices that the previous stage's ranks sent
  Segment attention(bool windowed) const;  ///< norm to all-reduce
  Segment mlp() const;
  Segment transformer(bool windowed) const;
  Segment head() const;  ///< final norm, vocabulary-parallel head, sampling
  Kernel attention_core(bool windowed) const;

 private:
  void add_norm(Segment& segment) const;
  void add_gemm(Segment& segment, KernelKind kind, double tokens, double out_features,
                double in_features) const;
  void add_elementwise(Segment& segment, KernelKind kind, kernels::ElementwiseKind work,
                       double rows, double cols) const;
  void add_all_reduce(Segment& segment, double tokens) const;
  kernels::Cost collective(kernels::CollectiveOp op, double bytes) const;
  bool quantizes() const;

  const scenario::Scenario& scenario_;
  const model::ModelConfig& model_;
  const kernels::Book& book_;
  PassShape shape_;
  double tp_;
  double q_heads_;   ///< of this device
  double kv_heads_;  ///< of this device, at least one: replicated when tp exceeds them
};

}  // namespace tradewind::lowering
