#pragma once

#include <functional>
#include <vector>

#include "sim/lowering/region.h"

namespace tradewind::lowering {

/// A matrix product of one device's shard.
struct Product {
  KernelKind kind;
  double out_features, in_features;
};

/// An element-wise kernel that moves so many bytes an element, read and written together.
kernels::ElementwiseShape streaming(double rows, double columns, double bytes);

/// Writes the parts that layers of every family are made of, sharded as the plan says: Megatron's
/// tensor parallelism (arXiv 1909.08053 section 3), with sequence parallelism (arXiv 2205.05198
/// section 4.2.2), or Ulysses' sequence shards (arXiv 2309.14509 section 3). `tokens` are those of
/// the pass.
class LayerWriter {
 public:
  LayerWriter(const scenario::Scenario& scenario, const kernels::Book& book, double tokens);

  /// Computes rows of its input, priced with a share of the compute units.
  using Compute = std::function<Segment(double rows, double compute_units_free)>;

  double hidden() const { return hidden_; }
  double tp() const { return tp_; }
  double rows() const { return rows_; }            ///< tokens of a device in its matrix products
  double norm_rows() const { return norm_rows_; }  ///< tokens of a device in norms and residuals
  bool sequence_parallel() const { return scenario_.plan.sequence_parallel && tp_ > 1; }
  double communication_bytes(double columns) const;
  double gathered_bytes(double columns) const;  ///< of the input of products

  void elementwise(Segment& segment, KernelKind kind, kernels::ElementwiseKind work, double rows,
                   double cols) const;
  void stream(Segment& segment, KernelKind kind, double rows, double columns, double bytes) const;
  void norm(Segment& segment) const;  ///< with the residual addition before it
  void gemm(Segment& segment, const Product& product, double rows,
            double compute_units_free = 1) const;
  void collective(Segment& segment, KernelKind kind, double rows, double columns) const;

  /// Products of one input; with sequence parallelism behind an all-gather of it.
  void column_parallel(Segment& segment, const std::vector<Product>& products) const;
  /// The product, then the sum over the group: all-reduce, or reduce-scatter with sequence
  /// parallelism.
  void row_parallel(Segment& segment, const Product& product) const;
  /// The same pairs around any computation of the pass's rows.
  void gathered(Segment& segment, Compute compute, scenario::OverlapSite site) const;
  void reduced(Segment& segment, Compute compute, scenario::OverlapSite site) const;

 private:
  bool quantizes() const;
  bool drops() const;
  Compute compute_of(std::vector<Product> products) const;

  const scenario::Scenario& scenario_;
  const kernels::Book& book_;
  double hidden_, tp_, rows_, norm_rows_;
};

}  // namespace tradewind::lowering
