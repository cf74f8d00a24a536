#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sim/kernels/operation.h"

namespace tradewind::kernels {

/// Kernels that move data and compute little, one thread block a row (vLLM's layernorm, rotary,
/// activation kernels):
///
///   t    = launch + max'(bytes / (bandwidth_efficiency x bandwidth),
///                        max'(1, rows / (units x rows_per_unit)) x cols x element_latency)
///
/// max' is smooth_max. The second term is what a row costs one block however few there are, and
/// what keeps scalar kernels under the bandwidth however many. `bytes` counts every pass a kernel
/// makes over its rows (rms_norm reads a row twice), `hbm_bytes` and the speed of light the least.
///
/// Sizes of 0 cost nothing. Checked on H800 rows of 2176 to 53248 columns, 1 to 32768 rows,
/// rms_norm, add_rms_norm, rope and silu_mul in bf16; the others take the normalisation's latency
/// and the common bandwidth.
std::span<const Parameter> elementwise_parameters();

/// `coefficients` in the order of elementwise_parameters().
Cost price_elementwise(const ElementwiseShape& shape, const KernelMachine& machine,
                       std::span<const double> coefficients, Provenance provenance);

/// The name of a kind, as in the `name` column of kernel CSVs.
std::string_view to_string(ElementwiseKind kind);
/// The kind of that name (`silu_and_mul`, vLLM's name, is silu_mul), or nothing.
std::optional<ElementwiseKind> parse_elementwise_kind(std::string_view name);

}  // namespace tradewind::kernels
