#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/kernels/operation.h"
#include "validation/kernel_csv.h"

/// What a kernel measurement is good for. The only place that says so; each rule with its reason.
namespace tradewind::validation {

/// How much a row counts in a fit: 1 by default, 0 = left out.
double fit_weight(const KernelRow& row);

/// Which of a few ranges of tokens a GEMM row belongs to; 0 for other operations. Ranges weigh
/// alike in a fit, whatever rows a file happens to have: serving needs decode and prefill.
int token_range(const KernelRow& row);

/// Keys and values that one decode step reads.
double kv_bytes(const kernels::AttentionDecodeShape& shape);

/// The data type that coefficients are kept under: the row's own; "any" for collectives, where the
/// time depends on bytes alone.
std::string coefficient_dtype(const KernelRow& row);

/// Where to start the coefficient called `parameter` of an all-reduce library that a profile does
/// not know yet: 0 for the efficiency of an algorithm it lacks. Nothing: as any library.
std::optional<double> algorithm_efficiency(std::string_view library, std::string_view parameter);

/// The network that rows over several nodes were measured on, by device.
std::string_view measured_network(std::string_view device);

/// What `operation` takes at `shape`; nothing where the model has no finite positive answer.
std::optional<double> price_us(const kernels::Operation& operation, const kernels::Shape& shape,
                               const kernels::KernelMachine& machine,
                               std::span<const double> coefficients);

}  // namespace tradewind::validation
