#include "sim/lowering/layer_writer.h"

#include <algorithm>
#include <cmath>

namespace tradewind::lowering {

using kernels::ElementwiseKind;
using scenario::OverlapSite;

kernels::ElementwiseShape streaming(double rows, double columns, double bytes) {
  constexpr double kBytesOfPasses = 4;  // relu2 reads and writes 16 bits
  return {ElementwiseKind::relu2, rows, columns * bytes / kBytesOfPasses, DataType::bf16};
}

LayerWriter::LayerWriter(const scenario::Scenario& scenario, const kernels::Book& book,
                         double tokens)
    : scenario_(scenario),
      book_(book),
      hidden_(static_cast<double>(scenario.model->hidden_size)),
      tp_(scenario.plan.tp),
      rows_(std::ceil(tokens / scenario.plan.ulysses)),
      norm_rows_(sequence_parallel() ? std::ceil(tokens / tp_) : rows_) {}

bool LayerWriter::quantizes() const {
  const DataType activations = scenario_.precision.activations;
  return activations != DataType::bf16 && activations != DataType::fp16 &&
         scenario_.runtime->quantization == scenario::Quantization::apart;
}

bool LayerWriter::drops() const {
  return scenario_.model->dropout && std::holds_alternative<scenario::Training>(scenario_.workload);
}

double LayerWriter::communication_bytes(double columns) const {
  return columns * bytes_per_element(scenario_.precision.communication);
}

double LayerWriter::gathered_bytes(double columns) const {
  const double quantized = columns * bytes_per_element(scenario_.precision.activations);
  const double plain = communication_bytes(columns);
  return scenario_.runtime->gathers_quantized ? std::min(quantized, plain) : plain;
}

void LayerWriter::elementwise(Segment& segment, KernelKind kind, ElementwiseKind work, double rows,
                              double cols) const {
  segment.emplace_back(Kernel(kind, book_.elementwise({work, rows, cols, DataType::bf16})));
}

void LayerWriter::stream(Segment& segment, KernelKind kind, double rows, double columns,
                         double bytes) const {
  segment.emplace_back(Kernel(kind, book_.elementwise(streaming(rows, columns, bytes))));
}

void LayerWriter::norm(Segment& segment) const {
  // Dropout before the sum leaves a mask of one byte beside rows of two.
  const double mask_rows = drops() ? 0.5 : 0;
  if (scenario_.runtime->fused_add_rms_norm) {
    elementwise(segment, KernelKind::rms_norm, ElementwiseKind::add_rms_norm, norm_rows_,
                hidden_ * (1 + mask_rows / 4));  // two rows in, two out
    return;
  }
  elementwise(segment, KernelKind::residual_add, ElementwiseKind::residual_add, norm_rows_,
              hidden_ * (1 + mask_rows / 3));  // two rows in, one out
  elementwise(segment, KernelKind::rms_norm, ElementwiseKind::rms_norm, norm_rows_, hidden_);
}

void LayerWriter::gemm(Segment& segment, const Product& product, double rows,
                       double compute_units_free) const {
  if (quantizes()) {
    elementwise(segment, KernelKind::quantize, ElementwiseKind::quantize, rows,
                product.in_features);
  }
  kernels::GemmShape shape{rows, product.out_features, product.in_features};
  shape.dtype = scenario_.precision.activations;
  shape.weight_dtype = scenario_.precision.weights;
  segment.emplace_back(Kernel(product.kind, book_.gemm(shape, compute_units_free)));
}

void LayerWriter::collective(Segment& segment, KernelKind kind, double rows, double columns) const {
  if (scenario_.plan.group() == 1) return;
  const PairSpec alone{Pair::compute_reduce, kind, rows, communication_bytes(columns), 0, {}};
  segment.emplace_back(pair_collective(scenario_, book_, alone, rows));
}

LayerWriter::Compute LayerWriter::compute_of(std::vector<Product> products) const {
  return [this, products = std::move(products)](double rows, double compute_units_free) {
    Segment compute;
    for (const Product& product : products) gemm(compute, product, rows, compute_units_free);
    return compute;
  };
}

void LayerWriter::column_parallel(Segment& segment, const std::vector<Product>& products) const {
  gathered(segment, compute_of(products), OverlapSite::column_parallel);
}

void LayerWriter::row_parallel(Segment& segment, const Product& product) const {
  reduced(segment, compute_of({product}), OverlapSite::row_parallel);
}

void LayerWriter::gathered(Segment& segment, Compute compute, OverlapSite site) const {
  if (!sequence_parallel()) {
    const Segment whole = compute(rows_, 1);
    segment.insert(segment.end(), whole.begin(), whole.end());
    return;
  }
  const PairSpec pair{
      Pair::gather_compute, KernelKind::all_gather, rows_, gathered_bytes(hidden_), 0,
      std::move(compute)};
  add_pair(segment, scenario_, book_, pair, site);
}

void LayerWriter::reduced(Segment& segment, Compute compute, OverlapSite site) const {
  if (tp_ == 1) {
    const Segment whole = compute(rows_, 1);
    segment.insert(segment.end(), whole.begin(), whole.end());
    return;
  }
  const PairSpec pair{sequence_parallel() ? Pair::compute_scatter : Pair::compute_reduce,
                      sequence_parallel() ? KernelKind::reduce_scatter : KernelKind::all_reduce,
                      rows_,
                      communication_bytes(hidden_),
                      hidden_,
                      std::move(compute)};
  add_pair(segment, scenario_, book_, pair, site);
}

}  // namespace tradewind::lowering
