#include "sim/lowering/mixed_pass.h"

#include "sim/lowering/block_kernels.h"
#include "sim/lowering/mamba_kernels.h"

namespace tradewind::lowering {
namespace {

/// Kernels that depend on tokens alone do not care how the tokens are spread over sequences.
PassShape any_shape(Phase phase, std::int64_t tokens) {
  const int count = static_cast<int>(tokens);
  return phase == Phase::prefill ? PassShape{phase, 1, count, count, false}
                                 : PassShape{phase, count, 1, 1, false};
}

const Kernel* sequence_kernel(const Step& step) {
  const Kernel* kernel = kernel_of(step);
  return kernel && depends_on_sequences(kernel->kind) ? kernel : nullptr;
}

/// Each kernel that depends on the sequences twice: for the decodes, then for the chunks.
Segment with_both(const Segment& segment) {
  Segment both;
  both.reserve(segment.size() + 2);
  for (const Step& step : segment) {
    if (sequence_kernel(step)) both.push_back(step);
    both.push_back(step);
  }
  return both;
}

class SequenceKernels {
 public:
  SequenceKernels(const scenario::Scenario& scenario, const kernels::Book& book,
                  const MixedShape& shape)
      : block_(scenario, book, any_shape(shape.phase(), shape.tokens())),
        mamba_(scenario, book, any_shape(shape.phase(), shape.tokens())),
        decodes_(static_cast<double>(shape.decodes)),
        decode_context_(shape.decode_context),
        chunks_(static_cast<double>(shape.chunks)),
        chunk_length_(shape.chunks > 0 ? static_cast<double>(shape.chunk_tokens) / chunks_ : 0),
        chunk_context_(shape.chunk_context) {}

  Kernel of(KernelKind kind, bool windowed, Phase phase) const {
    const bool decodes = phase == Phase::decode;
    const double sequences = decodes ? decodes_ : chunks_;
    const double new_tokens = decodes ? 1 : chunk_length_;
    if (kind == KernelKind::causal_conv1d) return mamba_.convolution(phase, sequences, new_tokens);
    if (kind == KernelKind::state_space_scan) {
      return mamba_.recurrence(phase, sequences, new_tokens);
    }
    return decodes ? block_.decode_attention(windowed, sequences, decode_context_)
                   : block_.prefill_attention(windowed, sequences, new_tokens, chunk_context_);
  }

 private:
  BlockKernels block_;
  MambaKernels mamba_;
  double decodes_, decode_context_, chunks_, chunk_length_, chunk_context_;
};

}  // namespace

PassKernels lower_mixed(const scenario::Scenario& scenario, const kernels::Book& book,
                        const MixedShape& shape) {
  PassKernels kernels = lower_pass(scenario, book, any_shape(shape.phase(), shape.tokens()));
  if (shape.decodes > 0 && shape.chunks > 0) {
    for (Segment& layer : kernels.layer) layer = with_both(layer);
  }
  set_sequences(kernels, scenario, book, shape);
  return kernels;
}

void set_sequences(PassKernels& kernels, const scenario::Scenario& scenario,
                   const kernels::Book& book, const MixedShape& shape) {
  const SequenceKernels sequences(scenario, book, shape);
  for (LayerClass c = 0; c < kLayerClassCount; ++c) {
    Phase next = shape.decodes > 0 ? Phase::decode : Phase::prefill;
    for (Step& step : kernels.layer[c]) {
      if (!sequence_kernel(step)) continue;
      Kernel& kernel = std::get<Kernel>(step);
      kernel = sequences.of(kernel.kind, is_windowed(c), next);
      const bool both = shape.decodes > 0 && shape.chunks > 0;
      if (both) next = next == Phase::decode ? Phase::prefill : Phase::decode;
    }
  }
}

Segment lower_head(const scenario::Scenario& scenario, const kernels::Book& book,
                   std::int64_t sampled) {
  return BlockKernels(scenario, book, any_shape(Phase::decode, sampled)).head();
}

}  // namespace tradewind::lowering
