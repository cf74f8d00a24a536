#pragma once

#include "sim/lowering/layer_writer.h"
#include "sim/lowering/pass.h"

namespace tradewind::lowering {

/// The kernels of a Mamba-2 layer on one device for one pass, priced, sharded as arXiv 2405.21060,
/// section 8.1, says: heads (with their gate, values, B, C and time steps) are shared out by a
/// column-parallel input projection, convolution and recurrence are local, the output projection is
/// row-parallel: one all-reduce a layer, or an all-gather and a reduce-scatter with sequence
/// parallelism.
class MambaKernels {
 public:
  MambaKernels(const scenario::Scenario& scenario, const kernels::Book& book,
               const PassShape& shape);

  Segment layer() const;  ///< norm to all-reduce
  /// Of `sequences` with `new_tokens` each (means, as a mixed batch asks for).
  Kernel convolution(Phase phase, double sequences, double new_tokens) const;
  Kernel recurrence(Phase phase, double sequences, double new_tokens) const;

 private:
  void add_gated_norm(Segment& segment) const;

  const scenario::Scenario& scenario_;
  const kernels::Book& book_;
  PassShape shape_;
  model::MambaDimensions mamba_;  ///< of this device
  LayerWriter write_;
};

}  // namespace tradewind::lowering
