#include "sim/kernels/elementwise.h"

#include <algorithm>
#include <array>

#include "sim/kernels/free_compute_units.h"
#include "sim/kernels/smooth_max.h"

namespace tradewind::kernels {
namespace {

constexpr std::array<Parameter, 6> kParameters = {{
    {"launch_latency_s", 5e-7, 2e-5, 2e-6, "from launch to the end of an empty call"},
    {"bandwidth_efficiency", 0.2, 1, 0.8, "of the memory bandwidth"},
    {"norm_element_latency_s", 0, 3e-9, 2e-10, "of one column in one block, normalisation"},
    {"rope_element_latency_s", 0, 3e-9, 4e-10, "the same, rotary embedding"},
    {"activation_element_latency_s", 0, 3e-9, 4e-10, "the same, gated activation"},
    {"rows_per_unit", 0.5, 8, 2, "blocks that one compute unit keeps busy at once"},
}};

/// Which latency a kind takes, and how often its kernel passes over a row: reads and writes in the
/// tensor's own type. A gate reads two rows for one that it writes; the fused residual is read and
/// written beside the normalised row. A gated norm holds its rows in registers (mamba_ssm's
/// one-pass kernel).
struct Kind {
  std::string_view name;
  std::size_t latency;
  double least_passes, passes;
};
constexpr std::size_t kNorm = 2;
constexpr std::size_t kRope = 3;
constexpr std::size_t kActivation = 4;

constexpr std::array<Kind, 12> kKinds = {{
    {"rms_norm", kNorm, 2, 3},
    {"add_rms_norm", kNorm, 4, 4},
    {"rope", kRope, 2, 2},
    {"silu_mul", kActivation, 3, 3},
    {"quantize", kNorm, 2, 2},
    {"residual_add", kNorm, 3, 3},
    {"kv_cache_write", kNorm, 2, 2},
    {"embedding", kNorm, 2, 2},
    {"sampling", kNorm, 1, 3},
    {"gated_rms_norm", kNorm, 3, 3},
    {"causal_conv1d", kActivation, 2, 2},
    {"relu2", kActivation, 2, 2},
}};

const Kind& facts(ElementwiseKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

/// Mean bytes of an element over the passes: quantize and kv_cache_write read bf16 and write the
/// shape's type.
double element_bytes(const ElementwiseShape& shape) {
  const bool converts =
      shape.kind == ElementwiseKind::quantize || shape.kind == ElementwiseKind::kv_cache_write;
  const double own = bytes_per_element(shape.dtype);
  return converts ? (bytes_per_element(DataType::bf16) + own) / 2 : own;
}

}  // namespace

std::span<const Parameter> elementwise_parameters() {
  return kParameters;
}

Cost price_elementwise(const ElementwiseShape& shape, const KernelMachine& machine,
                       std::span<const double> coefficients, Provenance provenance) {
  Cost cost;
  cost.provenance = provenance;
  if (shape.rows <= 0 || shape.cols <= 0) return cost;
  const hardware::Accelerator& accelerator = machine.accelerator;
  const Kind& kind = facts(shape.kind);
  const double launch_s = coefficients[0];
  const double bytes = shape.rows * shape.cols * element_bytes(shape);
  const double bandwidth = accelerator.hbm_bandwidth_bytes_per_s;
  const double memory_s = kind.passes * bytes / (coefficients[1] * bandwidth);
  const double row_s = shape.cols * coefficients[kind.latency];
  const double units = free_compute_units(machine);
  const double rounds = shape.rows / (units * coefficients[5]);
  const double rows_s = smooth_max(rounds, 1) * row_s;

  cost.latency_s = launch_s;
  cost.duration_s = launch_s + smooth_max(memory_s, rows_s);
  cost.hbm_bytes = kind.least_passes * bytes;
  cost.compute_unit_share = std::min(1.0, rounds) * units / accelerator.compute_units;
  cost.speed_of_light_s = cost.hbm_bytes / bandwidth;
  cost.bound = cost.duration_s > 2 * launch_s ? Bound::memory : Bound::latency;
  return cost;
}

std::string_view to_string(ElementwiseKind kind) {
  return facts(kind).name;
}

std::optional<ElementwiseKind> parse_elementwise_kind(std::string_view name) {
  if (name == "silu_and_mul") return ElementwiseKind::silu_mul;
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (kKinds[i].name == name) return static_cast<ElementwiseKind>(i);
  return std::nullopt;
}

}  // namespace tradewind::kernels
