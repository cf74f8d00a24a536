#include "sim/kernels/attention_prefill.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/kernels/free_compute_units.h"
#include "sim/kernels/smooth_max.h"

namespace tradewind::kernels {
namespace {

constexpr std::array<Parameter, 11> kParameters = {{
    {"launch_latency_s", 1e-6, 4e-5, 8e-6, "from launch to the end of an empty call"},
    {"matrix_efficiency", 0.1, 1, 0.6, "of the matrix peak inside a tile"},
    {"item_latency_s", 0, 2e-5, 2e-6, "to start and end one item: load queries, store outputs"},
    {"bandwidth_efficiency", 0.2, 1, 0.6, "of the memory bandwidth"},
    {"cache_write_passes", 0, 4, 1, "over the new keys and values, to move them to the cache"},
    {"cache_write_latency_s", 0, 2e-5, 1e-6, "of one thread block that writes one token"},
    {"query_packing", 0, 1, 0.5, "1: the query heads of a group share tiles; 0: one head a tile"},
    {"tail_exposure", 0, 1, 0.3, "share of the longest item that runs after all others"},
    {"split_share", 0, 1, 0.2, "of idle units, used by splitting the keys of an item"},
    {"sustained_droop", 0, 0.5, 0.1, "slowdown of long kernels by power and heat"},
    {"query_tile_rows", 64, 256, 128, "query rows of one item"},
}};

struct Coefficients {
  double launch_latency_s, matrix_efficiency, item_latency_s, bandwidth_efficiency,
      cache_write_passes, cache_write_latency_s, query_packing, tail_exposure, split_share,
      sustained_droop, query_tile_rows;
};

Coefficients unpack(std::span<const double> c) {
  return {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10]};
}

/// Keys of one tile: 128 in FlashAttention-3 (causal, head_dim 128) and in CUTLASS' FMHA.
constexpr double kKeyTile = 128;
/// Special function units of one compute unit: 16 results a clock on compute capability 9.0 and
/// 10.0 (CUDA C++ Programming Guide, arithmetic throughput); CDNA: 4 SIMDs at a quarter of 16
/// lanes.
constexpr double kExponentialsPerClock = 16;
/// vLLM's reshape_and_cache_flash runs one block of at most this many threads a token.
constexpr double kWriteBlockThreads = 512;
/// Threads resident on one compute unit (CUDA C++ Programming Guide, compute capability 9.0).
constexpr double kThreadsPerComputeUnit = 2048;
/// Over which power management reacts; assumed, a few periods of its millisecond control loop.
constexpr double kSustainedTime_s = 5e-3;
/// Queries and outputs are bf16 whatever the cache holds.
constexpr double kActivationBytes = 2;

/// How many keys the queries see.
struct Visible {
  double pairs;          ///< over all queries of one head, exact
  double mean_tiles;     ///< key tiles of a query tile
  double longest_tiles;  ///< of the last one
  double keys_read;      ///< by at least one query
};

Visible visible_keys(const AttentionPrefillShape& shape, double query_rows) {
  const double q = shape.q_tokens;
  const double kv = shape.kv_tokens;
  const double window = shape.window > 0 ? std::min(shape.window, kv) : kv;
  double pairs = q * window;
  if (shape.causal) {
    const double first = kv - q + 1;  // keys that the first query sees
    const double ramp = std::clamp(window - first + 1, 0.0, q);
    pairs = ramp * (2 * first + ramp - 1) / 2 + (q - ramp) * window;
  }
  // An edge that crosses a tile costs half a tile more than the keys it leaves visible.
  const double edges = (shape.causal ? 0.5 : 0.0) + (window < kv ? 0.5 : 0.0);
  const double longest = std::min(kv, window + query_rows) / kKeyTile;
  const double mean = std::min(pairs / q / kKeyTile + edges, longest);
  return {pairs, smooth_max(mean, 1), smooth_max(longest, 1), std::min(kv, window + q)};
}

double matrix_peak(const hardware::Accelerator& accelerator, DataType type) {
  const double peak = accelerator.peak(type);
  return peak > 0 ? peak : accelerator.peak(DataType::bf16);
}

/// Work items: query tiles over all heads and sequences.
double item_count(const AttentionPrefillShape& shape, const Coefficients& c) {
  const double group = shape.q_heads / shape.kv_heads;
  const double packed = smooth_max(shape.q_tokens * group / c.query_tile_rows, 1);
  const double apart = group * smooth_max(shape.q_tokens / c.query_tile_rows, 1);
  return shape.batch * shape.kv_heads * (c.query_packing * packed + (1 - c.query_packing) * apart);
}

/// One query tile against one key tile on one compute unit.
double tile_seconds(const AttentionPrefillShape& shape, const hardware::Accelerator& accelerator,
                    const Coefficients& c) {
  const double units = accelerator.compute_units;
  const double scores = c.query_tile_rows * kKeyTile;
  const double matrix = 4 * scores * shape.head_dim * units / matrix_peak(accelerator, shape.dtype);
  const double exponentials = scores / (kExponentialsPerClock * accelerator.clock_hz);
  return std::sqrt(matrix * matrix + exponentials * exponentials) / c.matrix_efficiency;
}

/// Time on the compute units and the share of them that is busy.
struct Work {
  double seconds, unit_share;
};

Work compute(const AttentionPrefillShape& shape, const Visible& visible,
             const KernelMachine& machine, const Coefficients& c) {
  const double units = free_compute_units(machine);
  const double items = item_count(shape, c);
  const double tile = tile_seconds(shape, machine.accelerator, c);
  const double splits =
      std::min(smooth_max(c.split_share * units / items, 1), visible.longest_tiles);
  const double longest = c.item_latency_s + tile * visible.longest_tiles / splits;
  const double spread = items / units * (c.item_latency_s + tile * visible.mean_tiles);
  const double burst = smooth_max(longest, spread + c.tail_exposure * longest);
  const double droop = c.sustained_droop * burst / (burst + kSustainedTime_s);
  return {burst * (1 + droop), std::min(units, items * splits) / machine.accelerator.compute_units};
}

/// What crosses the memory interface, and how long the separate cache write takes.
struct Traffic {
  double needed_bytes, written_bytes, seconds, write_seconds;
};

Traffic traffic(const AttentionPrefillShape& shape, const Visible& visible,
                const KernelMachine& machine, const Coefficients& c) {
  const double cached = bytes_per_element(shape.kv_dtype);
  const double key_value = 2 * shape.batch * shape.kv_heads * shape.head_dim;
  const double queries = shape.batch * shape.q_tokens * shape.q_heads * shape.head_dim;
  const double needed = 2 * queries * kActivationBytes + key_value * visible.keys_read * cached;
  const double written =
      c.cache_write_passes * key_value * shape.q_tokens * (kActivationBytes + cached);

  const double bytes_per_s = c.bandwidth_efficiency * machine.accelerator.hbm_bandwidth_bytes_per_s;
  const double threads = std::min(kWriteBlockThreads, shape.kv_heads * shape.head_dim);
  const double blocks = shape.batch * shape.q_tokens * threads /
                        (kThreadsPerComputeUnit * free_compute_units(machine));
  const double streaming = written / bytes_per_s;
  const double starting = blocks * c.cache_write_latency_s;
  const double write = streaming + starting > 0 ? smooth_max(streaming, starting) : 0;
  return {needed, written, needed / bytes_per_s, write};
}

}  // namespace

std::span<const Parameter> attention_prefill_parameters() {
  return kParameters;
}

Cost price_attention_prefill(const AttentionPrefillShape& shape, const KernelMachine& machine,
                             std::span<const double> coefficients, Provenance provenance) {
  Cost cost;
  cost.provenance = provenance;
  if (shape.batch <= 0 || shape.q_tokens <= 0) return cost;
  const Coefficients c = unpack(coefficients);
  const hardware::Accelerator& accelerator = machine.accelerator;
  const Visible visible = visible_keys(shape, c.query_tile_rows);
  const Work work = compute(shape, visible, machine, c);
  const Traffic moved = traffic(shape, visible, machine, c);

  cost.latency_s = c.launch_latency_s;
  cost.duration_s =
      c.launch_latency_s + moved.write_seconds + smooth_max(work.seconds, moved.seconds);
  cost.flops = 4 * shape.batch * shape.q_heads * shape.head_dim * visible.pairs;
  cost.hbm_bytes = moved.needed_bytes + moved.written_bytes;
  cost.compute_unit_share = work.unit_share;
  cost.speed_of_light_s = std::max(cost.flops / matrix_peak(accelerator, shape.dtype),
                                   moved.needed_bytes / accelerator.hbm_bandwidth_bytes_per_s);
  const bool computing = work.seconds > moved.seconds + moved.write_seconds;
  cost.bound = computing ? Bound::compute : Bound::memory;
  if (cost.latency_s > cost.duration_s / 2) cost.bound = Bound::latency;
  return cost;
}

}  // namespace tradewind::kernels
