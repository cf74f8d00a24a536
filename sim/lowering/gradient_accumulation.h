#pragma once

#include <algorithm>

#include "sim/kernels/cost.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/training_feasibility.h"

namespace tradewind::lowering {

/// A weight gradient's product with what it takes to add its `elements` to those of the
/// micro-batches before, of g bytes each (runtime.training.gradient_bytes), from and to HBM:
///
///   in the product's epilogue   2 g - 2 bytes more: it reads and writes g where it would write 2
///                               (Megatron-LM, gradient_accumulation_fusion)
///   in a kernel of its own      2 g + 2 bytes: it reads both and writes the sum
///
/// An epilogue hides behind the arithmetic of the other tile on its compute unit, unless memory is
/// what the product waits for. (arXiv 2401.10241's profiled steps: of 6.2B to 28.3B models the
/// weight gradients take 0.265 to 0.301 of forward and backward, as its bubble rates tell; with a
/// shown epilogue they would take 0.29 to 0.33.) Where the gradients of each micro-batch
/// are reduced there is only a shard to add to.
inline kernels::Cost with_accumulation(const scenario::Scenario& scenario, kernels::Cost product,
                                       double elements) {
  if (!std::holds_alternative<scenario::Training>(scenario.workload)) return product;
  if (scenario.plan.shards() > 1 && scenario::reduces_each_micro_batch(scenario)) return product;
  const scenario::TrainingBehaviour& behaviour = scenario.runtime->training;
  const bool fused = behaviour.fuses_accumulation;
  const double bytes = elements * (2 * behaviour.gradient_bytes + (fused ? -2 : 2));
  const double bandwidth = scenario.cluster->accelerator().hbm_bandwidth_bytes_per_s;
  product.hbm_bytes += bytes;
  if (fused) {
    product.duration_s =
        std::max(product.duration_s, product.latency_s + product.hbm_bytes / bandwidth);
  } else {
    product.duration_s += bytes / bandwidth;
  }
  return product;
}

}  // namespace tradewind::lowering
