#include "sim/kernels/gemm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/kernels/free_compute_units.h"

namespace tradewind::kernels {
namespace {

constexpr std::array<Parameter, 16> kParameters = {{
    {"launch_latency_s", 1e-6, 3e-5, 2e-6, "from launch to the end of an empty call"},
    {"tile_latency_s", 0, 1e-5, 1.5e-6, "to fill the pipeline of one tile and to drain it"},
    {"memory_latency_s", 0, 1e-5, 1.5e-6, "until memory streams at full rate"},
    {"matrix_efficiency", 0.1, 1, 0.9, "of the matrix peak inside the k loop"},
    {"smallest_tile_rows", 8, 128, 48, "that a tile is worth however few tokens there are"},
    {"smallest_tile_columns", 16, 256, 64, "that a tile is worth however narrow it is cut"},
    {"feed_bytes_per_clock", 8, 1024, 128, "of operands that reach one compute unit"},
    {"bandwidth_efficiency", 0.2, 1, 0.85, "of the memory bandwidth"},
    {"overlap", 0, 1, 0.8, "of memory with work, and of operand feed with multiplication"},
    {"wave_quantization", 0, 1, 0.3, "1: a partly filled last wave takes as long as a full one"},
    {"split_latency_s", 0, 1e-4, 2e-6, "to meet at the end of a split k loop"},
    {"partial_bandwidth_share", 0.1, 10, 1,
     "of memory bandwidth, for partial sums (in cache: > 1)"},
    {"sustained_droop", 0, 1, 0.1, "slowdown of long kernels by power and heat"},
    {"quantize_bytes", 0, 16, 3, "an activation, moved by the kernel that quantises them"},
    {"quantize_row_latency_s", 0, 1e-5, 1e-7, "of that kernel, a row on one compute unit"},
    {"store_bytes_per_clock", 2, 1e6, 1e6, "of a tile's result that one compute unit writes"},
}};

struct Coefficients {
  double launch_latency_s, tile_latency_s, memory_latency_s, matrix_efficiency, smallest_tile_rows,
      smallest_tile_columns, feed_bytes_per_clock, bandwidth_efficiency, overlap, wave_quantization,
      split_latency_s, partial_bandwidth_share, sustained_droop, quantize_bytes,
      quantize_row_latency_s, store_bytes_per_clock;
};

Coefficients unpack(std::span<const double> c) {
  return {c[0], c[1], c[2],  c[3],  c[4],  c[5],  c[6],  c[7],
          c[8], c[9], c[10], c[11], c[12], c[13], c[14], c[15]};
}

/// What libraries ship, thinned: CUTLASS (sm_80, sm_90) and Composable Kernel have tiles of 64 to
/// 256 by 64 to 256 and, for few tokens, of 16 and 32 rows.
constexpr std::array<double, 6> kTileRows = {16, 32, 64, 128, 192, 256};
constexpr std::array<double, 3> kTileColumns = {64, 128, 256};
/// 128 x 256 sums of 4 bytes fill half of the 256 KiB of registers of one SM.
constexpr double kLargestTile = 128 * 256;
constexpr std::array<double, 8> kSplits = {1, 2, 3, 4, 6, 8, 16, 32};
/// Elements of k that one step of the loop takes; a split keeps at least two steps.
constexpr double kStep = 64;
/// Partial sums are fp32.
constexpr double kPartialBytes = 4;
/// Over which power management reacts; assumed, its control loop has a period of milliseconds.
constexpr double kSustainedTime_s = 1e-3;

/// std::ceil of a positive value, which is a call without SSE4.1.
double round_up(double value) {
  constexpr double kNoFractionAbove = 0x1p53;
  if (value >= kNoFractionAbove) return value;
  const auto whole = static_cast<double>(static_cast<long long>(value));
  return whole < value ? whole + 1 : whole;
}

double peak(const hardware::Accelerator& device, DataType dtype) {
  return device.peak(dtype) > 0 ? device.peak(dtype) : device.peak(DataType::bf16);
}

/// Everything that no choice of tile changes.
struct Problem {
  double m, n, k;
  double a_bytes, b_bytes, c_bytes;  ///< of one element
  double operand_bytes, compulsory_bytes;
  double units, unit_flops_per_s, feed_bytes_per_s, store_s_per_byte;
  double bandwidth_bytes_per_s;
  double memory_s;        ///< with nothing read twice
  double uncached_share;  ///< of A and B, beyond the last-level cache
  double waves_per_item;  ///< 1 / units
  double partial_s;       ///< to write or read one fp32 C
};

struct Plan {
  double seconds = std::numeric_limits<double>::infinity();
  double work_s = 0, memory_s = 0;
  double hbm_bytes = 0;
  double items = 0;
};

Problem pose(const GemmShape& shape, const KernelMachine& machine, const Coefficients& c) {
  const hardware::Accelerator& device = machine.accelerator;
  Problem p{};
  p.m = shape.m;
  p.n = shape.n;
  p.k = shape.k;
  p.a_bytes = facts(shape.dtype).bits_with_scale / 8;
  p.b_bytes = facts(shape.weight_dtype).bits_with_scale / 8;
  p.c_bytes = bytes_per_element(shape.output_dtype);
  p.operand_bytes = p.m * p.k * p.a_bytes + p.n * p.k * p.b_bytes;
  p.compulsory_bytes = p.operand_bytes + p.m * p.n * p.c_bytes;
  p.units = free_compute_units(machine);
  p.unit_flops_per_s = c.matrix_efficiency * peak(device, shape.dtype) / device.compute_units;
  p.feed_bytes_per_s = c.feed_bytes_per_clock * device.clock_hz;
  p.store_s_per_byte = 1 / (c.store_bytes_per_clock * device.clock_hz);
  p.bandwidth_bytes_per_s = c.bandwidth_efficiency * device.hbm_bandwidth_bytes_per_s;
  p.memory_s = c.memory_latency_s + p.compulsory_bytes / p.bandwidth_bytes_per_s;
  p.uncached_share = std::max(0.0, 1 - device.last_level_cache_bytes / p.operand_bytes);
  p.waves_per_item = 1 / p.units;
  p.partial_s =
      kPartialBytes * p.m * p.n / (c.partial_bandwidth_share * device.hbm_bandwidth_bytes_per_s);
  return p;
}

double overlapped(double a, double b, double overlap) {
  const double longer = std::max(a, b);
  const double shorter = std::min(a, b);
  return longer + (1 - overlap) * shorter * shorter / longer;
}

/// What the waves read beyond once: those in flight form a block, as square as the matrix allows.
double reread_bytes(const Problem& p, double rows, double columns) {
  if (p.uncached_share <= 0) return 0;
  const double down = round_up(p.m / rows);
  const double across = round_up(p.n / columns);
  double high = std::min(down, std::max(1.0, std::sqrt(p.units * columns / rows)));
  const double wide = std::min(across, std::max(1.0, p.units / high));
  high = std::min(down, std::max(high, p.units / wide));
  const double read = p.k * (p.m * p.a_bytes * std::max(1.0, across / wide) +
                             p.n * p.b_bytes * std::max(1.0, down / high));
  return p.uncached_share * (read - p.operand_bytes);
}

/// One step of the k loop of a tile that large.
double step_seconds(const Problem& p, const Coefficients& c, double rows, double columns) {
  const double worth =
      std::max(rows, c.smallest_tile_rows) * std::max(columns, c.smallest_tile_columns);
  const double operand_bytes = std::min(rows, p.m) * p.a_bytes + std::min(columns, p.n) * p.b_bytes;
  return kStep *
         overlapped(2 * worth / p.unit_flops_per_s, operand_bytes / p.feed_bytes_per_s, c.overlap);
}

/// The best split of the k loop for tiles that large, if better than `best`.
void try_tile(const Problem& p, const Coefficients& c, double rows, double columns, Plan& best) {
  const double tiles = round_up(p.m / rows) * round_up(p.n / columns);
  const double step_s = step_seconds(p, c, rows, columns);
  const double result_bytes = std::min(rows, p.m) * std::min(columns, p.n) * p.c_bytes;
  const double tile_s = c.tile_latency_s + result_bytes * p.store_s_per_byte;
  double bytes = 0;
  for (const double split : kSplits) {
    if (split > 1 && (tiles * split > 2 * p.units || p.k < 2 * kStep * split)) break;
    const double full = tiles * split * p.waves_per_item;
    const double waves = std::max(1.0, full + c.wave_quantization * (round_up(full) - full));
    const double steps = round_up(p.k / (split * kStep));
    const double brisk_s = waves * (tile_s + steps * step_s);
    const double meet_s = split > 1 ? c.split_latency_s + (split + 1) * p.partial_s : 0;
    // What follows only adds to this, and costs divisions.
    if (std::max(brisk_s, p.memory_s) + meet_s >= best.seconds) continue;
    if (bytes == 0) bytes = p.compulsory_bytes + reread_bytes(p, rows, columns);
    const double memory_s = c.memory_latency_s + bytes / p.bandwidth_bytes_per_s;
    const double work_s =
        brisk_s * (1 + c.sustained_droop * brisk_s / (brisk_s + kSustainedTime_s));
    const double seconds = overlapped(work_s, memory_s, c.overlap) + meet_s;
    if (seconds < best.seconds) best = {seconds, work_s, memory_s, bytes, tiles * split};
  }
}

/// Large tiles first: they are most often best, and then spare the look at the others.
Plan best_plan(const Problem& p, const Coefficients& c) {
  Plan best;
  for (std::size_t i = kTileRows.size(); i-- > 0;) {
    if (i > 0 && kTileRows[i - 1] >= p.m) continue;
    // Costs as much as the next and covers less.
    const bool wasteful = i + 1 < kTileRows.size() && kTileRows[i + 1] <= c.smallest_tile_rows;
    if (wasteful && kTileRows[i] < p.m) continue;
    for (std::size_t j = kTileColumns.size(); j-- > 0;) {
      if (j > 0 && kTileColumns[j - 1] >= p.n) continue;
      if (kTileRows[i] * kTileColumns[j] > kLargestTile) continue;
      try_tile(p, c, kTileRows[i], kTileColumns[j], best);
    }
  }
  return best;
}

}  // namespace

std::span<const Parameter> gemm_parameters() {
  return kParameters;
}

Cost price_gemm(const GemmShape& shape, const KernelMachine& machine,
                std::span<const double> coefficients, Provenance provenance) {
  Cost cost;
  cost.provenance = provenance;
  if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0) return cost;

  const Coefficients c = unpack(coefficients);
  const hardware::Accelerator& device = machine.accelerator;
  const Problem p = pose(shape, machine, c);
  const Plan plan = best_plan(p, c);
  const bool quantizes = facts(shape.dtype).bits < 16;
  const double quantize_bytes = quantizes ? c.quantize_bytes * p.m * p.k : 0;
  const double quantize_s = quantizes ? c.quantize_row_latency_s * p.m * p.waves_per_item +
                                            quantize_bytes / p.bandwidth_bytes_per_s
                                      : 0;
  cost.latency_s = c.launch_latency_s;
  cost.duration_s = c.launch_latency_s + quantize_s + plan.seconds;
  cost.flops = 2 * p.m * p.n * p.k;
  cost.hbm_bytes = plan.hbm_bytes + quantize_bytes;
  cost.compute_unit_share = std::min(p.units, plan.items) / device.compute_units;
  cost.speed_of_light_s = std::max(cost.flops / peak(device, shape.dtype),
                                   p.compulsory_bytes / device.hbm_bandwidth_bytes_per_s);
  const double floor_s = c.launch_latency_s + std::max(c.memory_latency_s, c.tile_latency_s);
  cost.bound = 2 * floor_s > cost.duration_s ? Bound::latency
               : plan.memory_s > plan.work_s ? Bound::memory
                                             : Bound::compute;
  return cost;
}

}  // namespace tradewind::kernels
