#pragma once

#include "sim/kernels/cost.h"
#include "sim/scenario/scenario.h"

namespace tradewind::lowering {

/// A weight gradient's product with what it takes to add its `elements` to those of the
/// micro-batches before, of g bytes each (runtime.training.gradient_bytes), from and to HBM:
///
///   in the product's epilogue   2 g - 2 bytes more: it reads and writes g where it would write 2
///                               (Megatron-LM, gradient_accumulation_fusion)
///   in a kernel of its own      2 g + 2 bytes: it reads both and writes the sum
///
/// An epilogue comes after all of a tile's arithmetic, and hides behind that of the other tile on
/// its compute unit: half of it is assumed to show. ZeRO-3 reduces the gradients of each
/// micro-batch instead.
inline kernels::Cost with_accumulation(const scenario::Scenario& scenario, kernels::Cost product,
                                       double elements) {
  if (!std::holds_alternative<scenario::Training>(scenario.workload)) return product;
  if (scenario.plan.zero_stage >= 3) return product;
  const scenario::TrainingBehaviour& behaviour = scenario.runtime->training;
  const bool fused = behaviour.fuses_accumulation;
  const double bytes = elements * (2 * behaviour.gradient_bytes + (fused ? -2 : 2));
  const double shows = fused ? 0.5 : 1;
  const double bandwidth = scenario.cluster->accelerator().hbm_bandwidth_bytes_per_s;
  product.hbm_bytes += bytes;
  product.duration_s += shows * bytes / bandwidth;
  return product;
}

}  // namespace tradewind::lowering
