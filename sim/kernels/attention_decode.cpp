#include "sim/kernels/attention_decode.h"

#include <algorithm>
#include <array>

#include "sim/kernels/free_compute_units.h"
#include "sim/kernels/smooth_max.h"

namespace tradewind::kernels {
namespace {

constexpr std::array<Parameter, 10> kParameters = {{
    {"launch_latency_s", 1e-6, 4e-5, 8e-6, "from launch to the end of an empty call"},
    {"bandwidth_efficiency", 0.3, 1, 0.9, "of the memory bandwidth"},
    {"item_latency_s", 0, 2e-5, 2e-6, "to start and end one item"},
    {"tile_latency_s", 0, 2e-6, 1e-7, "of one tile of keys on one compute unit"},
    {"split_depth", 0.05, 4, 1, "blocks a compute unit that splitting aims at"},
    {"combine_latency_s", 0, 2e-5, 2e-6, "to combine the splits"},
    {"overlap", 0, 1, 0.3, "share of the shorter of memory and work that hides"},
    {"query_tile_rows", 8, 128, 32, "query heads of a group in one tile"},
    {"vector_share", 0, 1, 0.3, "1: single heads and wide groups run on the vector units"},
    {"vector_token_latency_s", 0, 5e-8, 1e-8, "of one key of one head there"},
}};

struct Coefficients {
  double launch_latency_s, bandwidth_efficiency, item_latency_s, tile_latency_s, split_depth,
      combine_latency_s, overlap, query_tile_rows, vector_share, vector_token_latency_s;
};

Coefficients unpack(std::span<const double> c) {
  return {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9]};
}

/// The least stretch of keys worth a split, as in FlashAttention-3 for head_dim 128.
constexpr double kKeyTile = 128;
/// Beyond it TensorRT-LLM's grouped kernels do not go: its measured time (trtllm-1.3.0rc20 on H100)
/// jumps tenfold between 32 and 48 query heads a group.
constexpr double kWidestGroup = 32;
/// Queries and outputs are bf16 whatever the cache holds.
constexpr double kActivationBytes = 2;

/// How one kernel cuts its work.
struct Items {
  double count, latency_s, tile_latency_s;
};

struct Spread {
  double seconds, busy_units;
};

Spread spread(const Items& items, double tiles, double roof_s, double units,
              const Coefficients& c) {
  const double splits = std::min(smooth_max(c.split_depth * units / items.count, 1), tiles);
  const double blocks = items.count * splits / units;
  const double work =
      smooth_max(blocks, 1) * (items.latency_s + items.tile_latency_s * tiles / splits);
  const double seconds = std::max(roof_s, work) + (1 - c.overlap) * std::min(roof_s, work);
  return {seconds + c.combine_latency_s * (1 - 1 / splits), std::min(1.0, blocks) * units};
}

}  // namespace

std::span<const Parameter> attention_decode_parameters() {
  return kParameters;
}

Cost price_attention_decode(const AttentionDecodeShape& shape, const KernelMachine& machine,
                            std::span<const double> coefficients, Provenance provenance) {
  Cost cost;
  cost.provenance = provenance;
  if (shape.batch <= 0) return cost;
  const Coefficients c = unpack(coefficients);
  const hardware::Accelerator& accelerator = machine.accelerator;
  const double keys = shape.window > 0 ? std::min(shape.window, shape.kv_tokens) : shape.kv_tokens;
  const double query_elements = shape.batch * shape.q_heads * shape.head_dim;
  cost.flops = 4 * query_elements * keys;
  cost.hbm_bytes =
      2 * shape.batch * shape.kv_heads * shape.head_dim * keys * bytes_per_element(shape.kv_dtype) +
      2 * query_elements * kActivationBytes;
  const double compute_s = cost.flops / accelerator.peak(DataType::bf16);
  cost.speed_of_light_s =
      std::max(cost.hbm_bytes / accelerator.hbm_bandwidth_bytes_per_s, compute_s);
  const double roof_s = cost.speed_of_light_s / c.bandwidth_efficiency;

  const double units = free_compute_units(machine);
  const double tiles = smooth_max(keys / kKeyTile, 1);
  const double group = shape.q_heads / shape.kv_heads;
  const Items shared{shape.batch * shape.kv_heads * smooth_max(group / c.query_tile_rows, 1),
                     c.item_latency_s, c.tile_latency_s};
  Spread work = spread(shared, tiles, roof_s, units, c);
  if (c.vector_share > 0 && (group <= 1 || group > kWidestGroup)) {
    const Items apart{shape.batch * shape.q_heads, 0, c.vector_token_latency_s * kKeyTile};
    const Spread vector = spread(apart, tiles, roof_s, units, c);
    work.seconds += c.vector_share * (vector.seconds - work.seconds);
    work.busy_units += c.vector_share * (vector.busy_units - work.busy_units);
  }

  cost.latency_s = c.launch_latency_s;
  cost.duration_s = c.launch_latency_s + work.seconds;
  cost.compute_unit_share = work.busy_units / accelerator.compute_units;
  if (roof_s > cost.duration_s / 2)
    cost.bound = compute_s < cost.speed_of_light_s ? Bound::memory : Bound::compute;
  return cost;
}

}  // namespace tradewind::kernels
