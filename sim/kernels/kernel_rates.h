#pragma once

#include <vector>

#include "sim/core/data_type.h"
#include "sim/kernels/attention_decode.h"
#include "sim/kernels/paged_attention.h"

namespace tradewind::kernels {

/// How decode attention spreads over the device.
enum class DecodeKernel : unsigned char {
  flash_decoding,  ///< splits the cache of a sequence over compute units where blocks are few
  unsplit,         ///< the same without splitting
  paged,           ///< paged_attention.h
};

/// How fast the kernels of a software version are, relative to the library that the profile was
/// calibrated with, and what its decode attention does not do. By default as calibrated.
struct KernelRates {
  double gemm_arithmetic = 1;       ///< of the matrix units and of what feeds them
  double gemm_arithmetic_8bit = 1;  ///< the same of 8 bits and fewer, times gemm_arithmetic
  double gemm_memory = 1;           ///< of the bandwidth that weights stream at
  /// Products of so few rows are matrix-vector kernels of the runtime's own, which stream the
  /// weights without the library's tiles: gemm_arithmetic is not theirs.
  int matrix_vector_rows = 0;
  double attention_prefill = 1;
  double attention_decode = 1;
  double elementwise = 1;        ///< norms, activations, residuals
  double all_reduce = 1;         ///< of the whole kernel
  double all_reduce_wait_s = 0;  ///< for the last device, before it
  /// Below 16 bits the call of a product quantises its input, as measured; else it finds it so.
  bool quantizes_in_product = true;
  bool shares_kv_heads = true;  ///< one read of a key serves all query heads of its group
  DecodeKernel decode = DecodeKernel::flash_decoding;
  float longest_context = 8192;  ///< that `paged` is launched for
};

/// In coefficients of gemm_parameters().
double& matrix_efficiency(std::vector<double>& coefficients);
/// Coefficients of gemm_parameters() of a device whose memory is no limit.
std::vector<double> without_memory(std::vector<double> coefficients);
/// Coefficients of gemm_parameters() for products of `type` at those rates; no efficiency beyond 1.
void apply_gemm_rates(std::vector<double>& coefficients, DataType type, const KernelRates& rates);
/// The same for matrix-vector kernels.
void apply_matrix_vector_rates(std::vector<double>& coefficients, const KernelRates& rates);
/// Coefficients of gemm_parameters() of products whose input arrives quantised. What was measured
/// starts a kernel more, the one that quantises, in `launch_latency_s` as any element-wise one
/// does.
void leave_out_quantization(std::vector<double>& coefficients, double launch_latency_s);
/// Coefficients of attention_decode_parameters() of a library that may not split.
void apply_split(std::vector<double>& coefficients, const KernelRates& rates);

/// What paged attention shares with the library's decode attention, of those coefficients.
PagedAttention paged_attention(std::span<const double> coefficients, const KernelRates& rates);

/// The work of a kernel at `rate`, its launch as it was; never under the speed of light.
Cost at_rate(Cost cost, double rate);
/// A collective that starts when the last device arrives, `wait_s` after this one.
Cost after_wait(Cost cost, double wait_s);
/// Launch and barriers too: collectives.
Cost at_whole_rate(Cost cost, double rate);

}  // namespace tradewind::kernels
