#include "sim/kernels/state_space_scan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/kernels/free_compute_units.h"
#include "sim/kernels/smooth_max.h"

namespace tradewind::kernels {
namespace {

// Initial values are textbook ones: the matrix share of Triton products with tiles of 64 to 128 and
// short inner loops, about half (arXiv 2405.21060, figure 10, has the scan near FlashAttention-2,
// whose own paper reports half to three quarters); streaming kernels at three quarters to four
// fifths of the bandwidth; microseconds to launch and drain one small kernel, five in the scan.
constexpr std::array<Parameter, 5> kScanParameters = {{
    {"launch_latency_s", 2e-6, 1e-4, 1e-5, "from launch to the end of five empty kernels"},
    {"matrix_efficiency", 0.1, 1, 0.5, "of the matrix peak inside a block"},
    {"block_latency_s", 0, 2e-5, 1e-6, "to start and end one block: load, store"},
    {"bandwidth_efficiency", 0.2, 1, 0.75, "of the memory bandwidth"},
    {"step_latency_s", 0, 1e-5, 5e-7, "of one chunk where states pass from chunk to chunk"},
}};
constexpr std::array<Parameter, 4> kUpdateParameters = {{
    {"launch_latency_s", 5e-7, 2e-5, 3e-6, "from launch to the end of an empty call"},
    {"bandwidth_efficiency", 0.2, 1, 0.8, "of the memory bandwidth"},
    {"block_latency_s", 0, 2e-5, 2e-6, "to start and end one block: load, store"},
    {"blocks_per_unit", 1, 32, 8, "blocks that one compute unit keeps busy at once"},
}};

/// Tokens of one tile of outputs, one of those that mamba_ssm's autotuner tries.
constexpr double kTokenTile = 64;
/// Chunk states and C B^T are accumulated and kept in 32 bits (mamba_ssm's chunk_state and
/// bmm_chunk); time steps and their running sums too, written once and read by two kernels.
constexpr double kAccumulatedBytes = 4;
constexpr double kTimeStepBytes = 2 + 2 * kAccumulatedBytes * 3;

/// Sizes of one device's layer as the formulas name them.
struct Sizes {
  double heads, inner, shared, states, chunk, chunks;
};

Sizes sizes_of(const StateSpaceShape& shape) {
  const model::MambaDimensions& mamba = shape.mamba;
  const double chunk = std::min(static_cast<double>(mamba.chunk_size), shape.tokens);
  return {static_cast<double>(mamba.num_heads),
          static_cast<double>(mamba.inner_size()),
          static_cast<double>(mamba.n_groups * mamba.state_size),
          static_cast<double>(mamba.state_size),
          chunk,
          std::ceil(shape.tokens / chunk)};
}

double matrix_peak(const hardware::Accelerator& accelerator, DataType type) {
  const double peak = accelerator.peak(type);
  return peak > 0 ? peak : accelerator.peak(DataType::bf16);
}

/// Work of one kernel over all sequences.
struct Phase {
  double flops, bytes, blocks;
};

struct Machine {
  double bytes_per_s, flops_per_s, units, unit_flops_per_s, block_latency_s;
};

double seconds(const Phase& phase, const Machine& machine) {
  const double rounds = smooth_max(phase.blocks / machine.units, 1);
  const double block =
      machine.block_latency_s + phase.flops / phase.blocks / machine.unit_flops_per_s;
  return smooth_max(phase.bytes / machine.bytes_per_s, rounds * block);
}

Phase states_phase(const StateSpaceShape& shape, const Sizes& s) {
  const double activation = bytes_per_element(shape.dtype);
  const double tokens = shape.batch * shape.tokens;
  const double blocks = shape.batch * s.chunks * s.heads;
  return {2 * tokens * s.states * s.inner,
          tokens * ((s.inner + s.shared) * activation + s.heads * kTimeStepBytes) +
              shape.batch * s.chunks * s.states * s.inner * kAccumulatedBytes,
          blocks};
}

Phase outputs_phase(const StateSpaceShape& shape, const Sizes& s) {
  const double activation = bytes_per_element(shape.dtype);
  const double tokens = shape.batch * shape.tokens;
  const double groups = static_cast<double>(shape.mamba.n_groups);
  const double seen = std::min(s.chunk, (s.chunk + kTokenTile) / 2);  // keys of a mean causal tile
  return {
      2 * tokens * (s.chunk * s.shared + seen * s.inner + s.states * s.inner),
      tokens * (2 * (s.inner + s.shared) * activation + 2 * s.chunk * groups * kAccumulatedBytes) +
          shape.batch * s.chunks * s.states * s.inner * activation,
      shape.batch * s.heads * std::ceil(shape.tokens / kTokenTile)};
}

/// What enters and leaves the layer's scan, once: values, outputs, B, C, time steps, last states.
double least_bytes(const StateSpaceShape& shape, double tokens) {
  const model::MambaDimensions& mamba = shape.mamba;
  const double activation = bytes_per_element(shape.dtype);
  const std::int64_t per_token = mamba.conv_channels() + mamba.inner_size() + mamba.num_heads;
  return shape.batch * (tokens * static_cast<double>(per_token) * activation +
                        static_cast<double>(mamba.inner_size() * mamba.state_size) *
                            bytes_per_element(model::kStateType));
}

Bound bound_of(const Cost& cost, double compute_s, double memory_s) {
  if (cost.latency_s > cost.duration_s / 2) return Bound::latency;
  return compute_s > memory_s ? Bound::compute : Bound::memory;
}

}  // namespace

std::span<const Parameter> state_space_scan_parameters() {
  return kScanParameters;
}

std::span<const Parameter> state_space_update_parameters() {
  return kUpdateParameters;
}

Cost price_state_space_scan(const StateSpaceShape& shape, const KernelMachine& machine,
                            std::span<const double> coefficients, Provenance provenance) {
  Cost cost;
  cost.provenance = provenance;
  if (shape.batch <= 0 || shape.tokens <= 0) return cost;
  const hardware::Accelerator& accelerator = machine.accelerator;
  const double all_units = accelerator.compute_units;
  const double peak = matrix_peak(accelerator, shape.dtype);
  const double units = free_compute_units(machine);
  const double bandwidth = accelerator.hbm_bandwidth_bytes_per_s;
  const Machine achieved{coefficients[3] * bandwidth, coefficients[1] * peak, units,
                         coefficients[1] * peak / all_units, coefficients[2]};
  const Sizes sizes = sizes_of(shape);
  const Phase states = states_phase(shape, sizes);
  const Phase outputs = outputs_phase(shape, sizes);
  const double passed_bytes = shape.batch * sizes.chunks * sizes.states * sizes.inner *
                              (kAccumulatedBytes + bytes_per_element(shape.dtype));
  const double pass_s =
      smooth_max(passed_bytes / achieved.bytes_per_s, sizes.chunks * coefficients[4]);

  cost.latency_s = coefficients[0];
  cost.duration_s =
      cost.latency_s + seconds(states, achieved) + pass_s + seconds(outputs, achieved);
  cost.flops = shape.batch * model::scan_flops(shape.mamba, shape.tokens);
  cost.hbm_bytes = states.bytes + passed_bytes + outputs.bytes;
  cost.compute_unit_share = std::min(1.0, outputs.blocks / units) * units / all_units;
  cost.speed_of_light_s = std::max(cost.flops / peak, least_bytes(shape, shape.tokens) / bandwidth);
  cost.bound = bound_of(cost, (states.flops + outputs.flops) / achieved.flops_per_s,
                        cost.hbm_bytes / achieved.bytes_per_s);
  return cost;
}

Cost price_state_space_update(const StateSpaceShape& shape, const KernelMachine& machine,
                              std::span<const double> coefficients, Provenance provenance) {
  Cost cost;
  cost.provenance = provenance;
  if (shape.batch <= 0) return cost;
  const hardware::Accelerator& accelerator = machine.accelerator;
  const double units = free_compute_units(machine);
  const double bandwidth = accelerator.hbm_bandwidth_bytes_per_s;
  const double blocks = shape.batch * static_cast<double>(shape.mamba.num_heads);
  const double states_read =
      shape.batch * static_cast<double>(shape.mamba.inner_size() * shape.mamba.state_size) *
      bytes_per_element(model::kStateType);
  cost.hbm_bytes = least_bytes(shape, 1) + states_read;
  cost.flops = shape.batch * model::scan_flops(shape.mamba, 1);
  const double memory_s = cost.hbm_bytes / (coefficients[1] * bandwidth);
  const double blocks_s = smooth_max(blocks / (units * coefficients[3]), 1) * coefficients[2];

  cost.latency_s = coefficients[0];
  cost.duration_s = cost.latency_s + smooth_max(memory_s, blocks_s);
  cost.compute_unit_share = std::min(1.0, blocks / units) * units / accelerator.compute_units;
  cost.speed_of_light_s = cost.hbm_bytes / bandwidth;
  cost.bound = bound_of(cost, 0, memory_s);
  return cost;
}

}  // namespace tradewind::kernels
