#include "sim/kernels/paged_attention.h"

#include <algorithm>
#include <cmath>

#include "sim/kernels/free_compute_units.h"
#include "sim/kernels/smooth_max.h"

namespace tradewind::kernels {
namespace {

constexpr double kPartitionTokens = 512;
constexpr double kEnoughBlocks = 512;  ///< sequences x heads that v1 takes whole
constexpr double kLongestOfV1 = 8192;
constexpr double kTokensOfRound = 32;
constexpr double kBytesOfWeight = 4;  ///< fp32 in shared memory
constexpr double kThreadBlocksOfUnit = 16;
constexpr double kActivationBytes = 2;
/// Assumed: a load under load. That MI300X's HBM answers an idle one in about 0.8 us is remembered
/// from Chips and Cheese's measurements (2024), not read again.
constexpr double kMemoryLatency = 1e-6;

bool is_whole(const AttentionDecodeShape& shape, const PagedAttention& kernel) {
  return kernel.longest_context <= kLongestOfV1 &&
         (shape.kv_tokens <= kPartitionTokens || shape.batch * shape.q_heads > kEnoughBlocks);
}

}  // namespace

Cost price_paged_attention(const AttentionDecodeShape& shape, const KernelMachine& machine,
                           const PagedAttention& kernel, Provenance provenance) {
  Cost cost;
  cost.provenance = provenance;
  if (shape.batch <= 0) return cost;
  const hardware::Accelerator& accelerator = machine.accelerator;
  const double blocks_of_heads = shape.batch * shape.q_heads;
  const double element_bytes = bytes_per_element(shape.kv_dtype);
  const double vector_bytes = shape.head_dim * element_bytes;
  const double keys = shape.window > 0 ? std::min(shape.window, shape.kv_tokens) : shape.kv_tokens;
  const double query_bytes = 2 * blocks_of_heads * shape.head_dim * kActivationBytes;
  cost.flops = 4 * blocks_of_heads * shape.head_dim * keys;
  cost.hbm_bytes = 2 * shape.batch * shape.kv_heads * keys * vector_bytes + query_bytes;
  cost.speed_of_light_s = std::max(cost.hbm_bytes / accelerator.hbm_bandwidth_bytes_per_s,
                                   cost.flops / accelerator.peak(DataType::bf16));
  const double roof_s = cost.speed_of_light_s / kernel.bandwidth_efficiency;

  const bool whole = is_whole(shape, kernel);
  const double splits = whole ? 1 : std::ceil(keys / kPartitionTokens);
  const double weighed = whole ? kernel.longest_context : kPartitionTokens;
  const double resident =
      std::clamp(accelerator.shared_memory_bytes_per_compute_unit / (kBytesOfWeight * weighed), 1.0,
                 kThreadBlocksOfUnit);
  const double units = free_compute_units(machine);
  const double block_s = keys / splits / kTokensOfRound * 2 * kMemoryLatency;
  const double waves = blocks_of_heads * splits / (units * resident);
  const double work_s = smooth_max(waves, 1) * block_s;

  cost.latency_s = kernel.launch_latency_s;
  cost.duration_s = kernel.launch_latency_s + smooth_max(roof_s, work_s) +
                    (splits > 1 ? kernel.combine_latency_s : 0);
  cost.compute_unit_share =
      std::min(1.0, blocks_of_heads * splits / units) * units / accelerator.compute_units;
  if (roof_s > cost.duration_s / 2) cost.bound = Bound::memory;
  return cost;
}

}  // namespace tradewind::kernels
