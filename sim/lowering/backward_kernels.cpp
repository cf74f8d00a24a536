#include "sim/lowering/backward_kernels.h"

#include <algorithm>
#include <numeric>

#include "sim/kernels/attention_backward.h"
#include "sim/lowering/gradient_accumulation.h"

namespace tradewind::lowering {

using kernels::ElementwiseKind;
using scenario::OverlapSite;

BackwardKernels::BackwardKernels(const scenario::Scenario& scenario, const kernels::Book& book,
                                 const PassShape& shape)
    : scenario_(scenario),
      model_(*scenario.model),
      book_(book),
      shape_(shape),
      write_(scenario, book, shape.tokens()) {}

/// dW[out, in] sums over the tokens: they are the product's inner dimension.
void BackwardKernels::weight_gradient(Segment& segment, const Product& product, double rows,
                                      double compute_units_free) const {
  kernels::GemmShape shape{product.out_features, product.in_features, rows};
  shape.dtype = scenario_.precision.activations;
  shape.weight_dtype = scenario_.precision.activations;
  const kernels::Cost cost = book_.gemm(shape, compute_units_free);
  segment.emplace_back(
      Kernel(product.kind,
             with_accumulation(scenario_, cost, product.out_features * product.in_features)));
}

void BackwardKernels::add_row_parallel(Segment& segment, const Product& dgrad,
                                       KernelKind wgrad) const {
  write_.column_parallel(segment, {dgrad});
  weight_gradient(segment, {wgrad, dgrad.in_features, dgrad.out_features}, write_.rows());
}

void BackwardKernels::add_column_parallel(Segment& segment, KernelKind dgrad, KernelKind wgrad,
                                          const std::vector<double>& widths) const {
  const double hidden = write_.hidden();
  std::vector<double> parts = widths;
  if (scenario_.runtime->fused_projections) {
    parts = {std::accumulate(widths.begin(), widths.end(), 0.0)};
  }
  if (scenario_.runtime->training.overlaps_input_gradient && write_.tp() > 1) {
    return add_beside(segment, dgrad, wgrad, parts);
  }
  if (parts.size() == 1) {
    write_.row_parallel(segment, {dgrad, hidden, parts.front()});
  } else {
    // A sum of several products stands before the collective: no runtime takes that apart.
    for (const double width : parts) write_.gemm(segment, {dgrad, hidden, width}, write_.rows());
    for (std::size_t i = 1; i < parts.size(); ++i) {
      write_.elementwise(segment, KernelKind::residual_add, ElementwiseKind::residual_add,
                         write_.rows(), hidden);
    }
    const auto sum =
        write_.sequence_parallel() ? KernelKind::reduce_scatter : KernelKind::all_reduce;
    if (write_.tp() > 1) write_.collective(segment, sum, write_.rows(), hidden);
  }
  const auto compute = [this, wgrad, hidden, parts](double rows, double compute_units_free) {
    Segment weights;
    for (const double width : parts) {
      weight_gradient(weights, {wgrad, width, hidden}, rows, compute_units_free);
    }
    return weights;
  };
  if (scenario_.runtime->regathers_input) {
    write_.gathered(segment, compute, OverlapSite::column_parallel);
  } else {
    const Segment whole = compute(write_.rows(), 1);
    segment.insert(segment.end(), whole.begin(), whole.end());
  }
}

void BackwardKernels::add_beside(Segment& segment, KernelKind dgrad, KernelKind wgrad,
                                 const std::vector<double>& parts) const {
  const double hidden = write_.hidden();
  const auto inputs = [this, dgrad, hidden, parts](double rows, double compute_units_free) {
    Segment products;
    for (const double width : parts) {
      write_.gemm(products, {dgrad, hidden, width}, rows, compute_units_free);
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
      write_.elementwise(products, KernelKind::residual_add, ElementwiseKind::residual_add, rows,
                         hidden);
    }
    return products;
  };
  const auto weights = [this, wgrad, hidden, parts](double rows, double compute_units_free) {
    Segment products;
    for (const double width : parts) {
      weight_gradient(products, {wgrad, width, hidden}, rows, compute_units_free);
    }
    return products;
  };
  const bool sharded = write_.sequence_parallel();
  if (sharded && scenario_.runtime->regathers_input) {
    segment.emplace_back(make_beside(scenario_, book_,
                                     {Pair::gather_compute, KernelKind::all_gather, write_.rows(),
                                      write_.gathered_bytes(hidden), 0, inputs}));
  } else {
    const Segment whole = inputs(write_.rows(), 1);
    segment.insert(segment.end(), whole.begin(), whole.end());
  }
  const auto sum = sharded ? KernelKind::reduce_scatter : KernelKind::all_reduce;
  segment.emplace_back(
      make_beside(scenario_, book_,
                  {sharded ? Pair::compute_scatter : Pair::compute_reduce, sum, write_.rows(),
                   write_.communication_bytes(hidden), 0, weights}));
}

/// Reads the input, the gradient and the residual's gradient, writes their sum.
void BackwardKernels::add_norm(Segment& segment) const {
  write_.elementwise(segment, KernelKind::norm_backward, ElementwiseKind::add_rms_norm,
                     write_.norm_rows(), write_.hidden());
}

/// Reads a gradient and a mask of one byte, writes a gradient.
void BackwardKernels::add_dropout(Segment& segment) const {
  if (!model_.dropout) return;
  write_.stream(segment, KernelKind::dropout_backward, write_.norm_rows(), write_.hidden(),
                2 + 1 + 2);
}

/// Reads the output's gradient; the sums are a row.
void BackwardKernels::add_bias_gradient(Segment& segment, bool has_bias, double rows,
                                        double columns) const {
  if (!has_bias || !scenario_.runtime->training.sums_bias_gradients) return;
  write_.stream(segment, KernelKind::bias_gradient, rows, columns, 2);
}

Segment BackwardKernels::mlp() const {
  const double intermediate = static_cast<double>(model_.intermediate_size) / write_.tp();
  Segment segment;
  add_dropout(segment);
  add_bias_gradient(segment, model_.mlp_bias, write_.norm_rows(), write_.hidden());
  add_row_parallel(segment, {KernelKind::down_dgrad, intermediate, write_.hidden()},
                   KernelKind::down_wgrad);
  if (model_.gated_mlp) {
    // Five rows pass through memory (gate, up and the gradient in, two gradients out) where the
    // forward has three.
    write_.elementwise(segment, KernelKind::activation_backward, ElementwiseKind::silu_mul,
                       write_.rows(), intermediate * 5 / 3);
    add_column_parallel(segment, KernelKind::gate_up_dgrad, KernelKind::gate_up_wgrad,
                        {intermediate, intermediate});
  } else {
    // Three rows (up and the gradient in, a gradient out) where the forward has two.
    write_.elementwise(segment, KernelKind::activation_backward, ElementwiseKind::relu2,
                       write_.rows(), intermediate * 3 / 2);
    add_column_parallel(segment, KernelKind::gate_up_dgrad, KernelKind::gate_up_wgrad,
                        {intermediate});
  }
  add_bias_gradient(segment, model_.mlp_bias, write_.rows(),
                    (model_.gated_mlp ? 2 : 1) * intermediate);
  add_norm(segment);
  return segment;
}

Segment BackwardKernels::attention(const Kernel& forward_core) const {
  const scenario::Plan& plan = scenario_.plan;
  const double head_dim = static_cast<double>(model_.head_dim);
  const double q_heads = static_cast<double>(model_.num_attention_heads);
  const double kv_heads = static_cast<double>(model_.num_key_value_heads);
  const double own_q = q_heads / plan.group() * head_dim;
  const double own_kv = std::max(1.0, kv_heads / plan.group()) * head_dim;
  const bool ulysses = plan.ulysses > 1;
  const double q = ulysses ? q_heads * head_dim : own_q;
  const double kv = ulysses ? kv_heads * head_dim : own_kv;
  const double tokens = shape_.tokens();

  Segment segment;
  add_dropout(segment);
  add_bias_gradient(segment, model_.o_bias, write_.norm_rows(), write_.hidden());
  add_row_parallel(segment, {KernelKind::out_dgrad, q, write_.hidden()}, KernelKind::out_wgrad);
  if (ulysses) write_.collective(segment, KernelKind::all_to_all, tokens, own_q);
  segment.emplace_back(
      Kernel(KernelKind::attention_backward, kernels::attention_backward(forward_core.cost)));
  if (model_.rope) {
    write_.elementwise(segment, KernelKind::rope, ElementwiseKind::rope, tokens, own_q + own_kv);
  }
  if (ulysses) write_.collective(segment, KernelKind::all_to_all, tokens, own_q + 2 * own_kv);
  add_column_parallel(segment, KernelKind::qkv_dgrad, KernelKind::qkv_wgrad, {q, kv, kv});
  add_bias_gradient(segment, model_.qkv_bias, write_.rows(), q + 2 * kv);
  add_norm(segment);
  return segment;
}

}  // namespace tradewind::lowering
