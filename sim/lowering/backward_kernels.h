#pragma once

#include "sim/lowering/layer_writer.h"
#include "sim/lowering/pass.h"

namespace tradewind::lowering {

/// The backward pass of a decoder block on one device: for each product the gradient of its input
/// (`dgrad`) and of its weights (`wgrad`), with the conjugate collectives of the forward pass
/// (arXiv 1909.08053 section 3; arXiv 2205.05198 section 4.2.2: all-gather and reduce-scatter swap
/// places, and the sharded input of a column-parallel product is gathered again for its weight
/// gradient).
class BackwardKernels {
 public:
  BackwardKernels(const scenario::Scenario& scenario, const kernels::Book& book,
                  const PassShape& shape);

  Segment mlp() const;
  Segment attention(const Kernel& forward_core) const;

 private:
  void weight_gradient(Segment& segment, const Product& product, double rows,
                       double compute_units_free = 1) const;
  /// Of a row-parallel product: its output's gradient is gathered first.
  void add_row_parallel(Segment& segment, const Product& dgrad, KernelKind wgrad) const;
  /// Of column-parallel products of these widths: the gradients of their input are summed, here
  /// and over the group.
  void add_column_parallel(Segment& segment, KernelKind dgrad, KernelKind wgrad,
                           const std::vector<double>& widths) const;
  /// The same with their collectives beside products that do not need them.
  void add_beside(Segment& segment, KernelKind dgrad, KernelKind wgrad,
                  const std::vector<double>& parts) const;
  void add_norm(Segment& segment) const;
  /// Of a sublayer's output, before it joined the residual.
  void add_dropout(Segment& segment) const;
  void add_bias_gradient(Segment& segment, bool has_bias, double rows, double columns) const;

  const scenario::Scenario& scenario_;
  const model::ModelConfig& model_;
  const kernels::Book& book_;
  PassShape shape_;
  LayerWriter write_;
};

}  // namespace tradewind::lowering
