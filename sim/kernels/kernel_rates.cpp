#include "sim/kernels/kernel_rates.h"

#include <algorithm>

#include "sim/kernels/gemm.h"

namespace tradewind::kernels {
namespace {

template <class Coefficients>
auto& coefficient(Coefficients& coefficients, std::span<const Parameter> parameters,
                  std::string_view name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  return coefficients[static_cast<std::size_t>(found - parameters.begin())];
}

}  // namespace

double& matrix_efficiency(std::vector<double>& coefficients) {
  return coefficient(coefficients, gemm_parameters(), "matrix_efficiency");
}

std::vector<double> without_memory(std::vector<double> coefficients) {
  constexpr double kBeyondAny = 1e6;
  coefficient(coefficients, gemm_parameters(), "bandwidth_efficiency") = kBeyondAny;
  return coefficients;
}

void apply_gemm_rates(std::vector<double>& coefficients, DataType type, const KernelRates& rates) {
  if (coefficients.empty()) return;
  constexpr double kNarrowBits = 8;
  const bool narrow = facts(type).bits <= kNarrowBits;
  const double arithmetic = rates.gemm_arithmetic * (narrow ? rates.gemm_arithmetic_8bit : 1.0);
  double& matrix = matrix_efficiency(coefficients);
  matrix = std::min(1.0, matrix * arithmetic);
  coefficient(coefficients, gemm_parameters(), "feed_bytes_per_clock") *= arithmetic;
  apply_matrix_vector_rates(coefficients, rates);
}

void apply_matrix_vector_rates(std::vector<double>& coefficients, const KernelRates& rates) {
  if (coefficients.empty()) return;
  double& bandwidth = coefficient(coefficients, gemm_parameters(), "bandwidth_efficiency");
  bandwidth = std::min(1.0, bandwidth * rates.gemm_memory);
}

void leave_out_quantization(std::vector<double>& coefficients, double launch_latency_s) {
  if (coefficients.empty()) return;
  const auto of = [&](std::string_view name) -> double& {
    return coefficient(coefficients, gemm_parameters(), name);
  };
  of("quantize_bytes") = 0;
  of("quantize_row_latency_s") = 0;
  double& launch = of("launch_latency_s");
  launch = std::max(0.0, launch - launch_latency_s);
}

void apply_split(std::vector<double>& coefficients, const KernelRates& rates) {
  if (rates.decode != DecodeKernel::unsplit || coefficients.empty()) return;
  coefficient(coefficients, attention_decode_parameters(), "split_depth") = 0;
}

PagedAttention paged_attention(std::span<const double> coefficients, const KernelRates& rates) {
  const auto of = [&](std::string_view name) {
    return coefficient(coefficients, attention_decode_parameters(), name);
  };
  return {rates.longest_context, of("launch_latency_s"), of("bandwidth_efficiency"),
          of("combine_latency_s")};
}

Cost at_rate(Cost cost, double rate) {
  if (rate == 1) return cost;
  const double work = (cost.duration_s - cost.latency_s) / rate;
  cost.duration_s = std::max(cost.latency_s + work, cost.speed_of_light_s);
  return cost;
}

Cost after_wait(Cost cost, double wait_s) {
  cost.latency_s += wait_s;
  cost.duration_s += wait_s;
  return cost;
}

Cost at_whole_rate(Cost cost, double rate) {
  if (rate == 1) return cost;
  cost.latency_s /= rate;
  cost.duration_s = std::max(cost.duration_s / rate, cost.speed_of_light_s);
  cost.latency_s = std::min(cost.latency_s, cost.duration_s);
  return cost;
}

}  // namespace tradewind::kernels
