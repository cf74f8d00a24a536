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

Kernel MambaKernels::convolution(Phase phase, double sequences, double new_tokens) const {
  const auto channels = static_cast<double>(mamba_.conv_channels());
  // In decode every channel's window is read and shifted for one new token.
  const double taps = phase == Phase::decode ? static_cast<double>(mamba_.conv_kernel) : 1;
  return {KernelKind::causal_conv1d, book_.elementwise({ElementwiseKind::causal_conv1d,
                                                        sequences * new_tokens, channels * taps})};
}

Kernel MambaKernels::recurrence(Phase phase, double sequences, double new_tokens) const {
  const kernels::StateSpaceShape scan{sequences, new_tokens, mamba_};
  return {KernelKind::state_space_scan,
          phase == Phase::decode ? book_.state_update(scan) : book_.scan(scan)};
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
  segment.emplace_back(convolution(shape_.phase, shape_.sequences, shape_.new_tokens));
  segment.emplace_back(recurrence(shape_.phase, shape_.sequences, shape_.new_tokens));
  add_gated_norm(segment);
  write_.row_parallel(
      segment, {KernelKind::out_gemm, write_.hidden(), static_cast<double>(mamba_.inner_size())});
  return segment;
}

}  // namespace tradewind::lowering
