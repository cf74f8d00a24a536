#include "sim/lowering/mamba_kernels.h"

namespace tradewind::lowering {

using kernels::ElementwiseKind;

MambaKernels::MambaKernels(const scenario::Scenario& scenario, const kernels::Book& book,
                           const PassShape& shape)
    : scenario_(scenario),
      book_(book),
      shape_(shape),
      mamba_(model::shard(scenario.model->mamba, scenario.plan.tp)),
      write_(scenario, book, shape.tokens()) {}

void MambaKernels::add_convolution(Segment& segment) const {
  const auto channels = static_cast<double>(mamba_.conv_channels());
  // In decode every channel's window is read and shifted for one new token.
  const double taps = shape_.phase == Phase::decode ? static_cast<double>(mamba_.conv_kernel) : 1;
  write_.elementwise(segment, KernelKind::causal_conv1d, ElementwiseKind::causal_conv1d,
                     write_.rows(), channels * taps);
}

void MambaKernels::add_recurrence(Segment& segment) const {
  const kernels::StateSpaceShape scan{static_cast<double>(shape_.sequences),
                                      static_cast<double>(shape_.new_tokens), mamba_};
  const bool decodes = shape_.phase == Phase::decode;
  segment.emplace_back(
      Kernel(KernelKind::state_space_scan, decodes ? book_.state_update(scan) : book_.scan(scan)));
}

void MambaKernels::add_gated_norm(Segment& segment) const {
  constexpr double kSumBytes = 4;
  write_.elementwise(segment, KernelKind::gated_rms_norm, ElementwiseKind::gated_rms_norm,
                     write_.rows(), static_cast<double>(mamba_.inner_size()));
  // Each group has a norm of its own; where devices share one they add up its sum of squares, one
  // 32-bit number a token (vLLM's Mixer2RMSNormGated).
  if (scenario_.model->mamba.n_groups % scenario_.plan.tp == 0) return;
  write_.collective(segment, KernelKind::all_reduce, write_.rows(),
                    kSumBytes / bytes_per_element(scenario_.precision.communication));
}

Segment MambaKernels::layer() const {
  Segment segment;
  segment.reserve(10);
  write_.norm(segment);
  write_.column_parallel(
      segment,
      {{KernelKind::in_gemm, static_cast<double>(mamba_.projected_size()), write_.hidden()}});
  add_convolution(segment);
  add_recurrence(segment);
  add_gated_norm(segment);
  write_.row_parallel(
      segment, {KernelKind::out_gemm, write_.hidden(), static_cast<double>(mamba_.inner_size())});
  return segment;
}

}  // namespace tradewind::lowering
