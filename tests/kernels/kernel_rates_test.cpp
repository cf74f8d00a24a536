#include "sim/kernels/kernel_rates.h"

#include "sim/kernels/gemm.h"
#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::kernels;

TEST_CASE("a rate changes a kernel's work and leaves its launch") {
  Cost cost;
  cost.latency_s = 2e-6;
  cost.duration_s = 10e-6;
  CHECK(at_rate(cost, 0.5).duration_s == Approx(18e-6));
  CHECK(at_rate(cost, 0.5).latency_s == Approx(2e-6));
  CHECK(at_whole_rate(cost, 0.5).duration_s == Approx(20e-6));
  CHECK(at_whole_rate(cost, 0.5).latency_s == Approx(4e-6));
}

TEST_CASE("no rate beats the speed of light") {
  Cost cost;
  cost.duration_s = 10e-6;
  cost.speed_of_light_s = 9e-6;
  CHECK(at_rate(cost, 1.5).duration_s == Approx(9e-6));
  CHECK(at_whole_rate(cost, 1.5).duration_s == Approx(9e-6));
}

TEST_CASE("rates of products scale their efficiencies, which stay efficiencies") {
  std::vector<double> coefficients;
  for (const Parameter& parameter : gemm_parameters()) coefficients.push_back(parameter.initial);
  const std::vector<double> before = coefficients;
  apply_gemm_rates(coefficients, DataType::bf16, {.gemm_arithmetic = 0.5, .gemm_memory = 1.5});
  const auto changed = [&](std::string_view name) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (gemm_parameters()[i].name == name) return coefficients[i] / before[i];
    }
    return 0.0;
  };
  CHECK(changed("matrix_efficiency") == Approx(0.5));
  CHECK(changed("feed_bytes_per_clock") == Approx(0.5));
  CHECK(changed("bandwidth_efficiency") == Approx(1 / 0.85));  // 0.85 x 1.5 is held at 1
  CHECK(changed("launch_latency_s") == 1);
}
