#include "sim/kernels/sustained_product.h"

#include "sim/kernels/gemm.h"
#include "sim/kernels/kernel_rates.h"

namespace tradewind::kernels {

void hold_to_sustained(std::vector<double>& coefficients, const hardware::Accelerator& device,
                       DataType type) {
  const hardware::SustainedProduct& product = device.sustained;
  const double share = product.peak_share[static_cast<std::size_t>(type)];
  if (share == 0) return;
  const GemmShape shape{product.m, product.n, product.k, type, type, DataType::bf16};
  std::vector<double> held = without_memory(coefficients);
  double& efficiency = matrix_efficiency(held);
  const auto reached = [&](double tried) {
    efficiency = tried;
    const Cost cost = price_gemm(shape, {device}, held, Provenance::assumed);
    return cost.flops / cost.duration_s / device.peak(type);
  };
  double low = share, high = 1;
  constexpr double kPrecision = 1e-6;
  while (high - low > kPrecision) {
    const double middle = (low + high) / 2;
    (reached(middle) < share ? low : high) = middle;
  }
  matrix_efficiency(coefficients) = high;
}

}  // namespace tradewind::kernels
