#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/kernels/shape.h"

namespace tradewind::validation {

/// One measured kernel, a row of a kernel CSV (interface.md, "Kernel measurements").
struct KernelRow {
  std::string device;   ///< h100, mi355x ...: measured on the node called `<device>-8`
  std::string library;  ///< whose kernel it is: vllm, trtllm, aiter, nccl ...
  std::string op;       ///< gemm, attention_prefill ... (kernels::operations())
  std::string dtype;    ///< as written, also "fp8-block"; empty for some collectives
  kernels::Shape shape;
  double time_us = 0;
  std::string source;
  std::string file;
  int line = 0;
  std::string shape_key;  ///< the op and its shape columns as written, joined with commas

  std::string place() const { return file + ":" + std::to_string(line); }
};

/// Rows of that CSV text. Throws InputError (`file:line: column "m": ...`) for a missing column, an
/// unknown op, element-wise name or dtype, a size or time that is not a positive finite number.
std::vector<KernelRow> parse_kernel_csv(std::string_view text, const std::string& file);
/// The same for a file; "-" is stdin.
std::vector<KernelRow> read_kernel_csv(const std::string& path);

/// FNV-1a, 64 bit (Fowler, Noll, Vo: offset basis 14695981039346656037, prime 1099511628211).
std::uint64_t fnv1a(std::string_view text);
/// A quarter of the shapes is kept for checking and never fitted. The side depends on the shape
/// alone, so that a shape known from one device or library is not new on another.
bool is_check(const KernelRow& row);

}  // namespace tradewind::validation
