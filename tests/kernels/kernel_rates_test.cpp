#include "sim/kernels/kernel_rates.h"

#include <algorithm>

#include "sim/kernels/book.h"
#include "sim/kernels/gemm.h"
#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::kernels;

namespace {

/// 100 units at 1 GHz, 1 PFLOP/s, 1 TB/s.
hardware::Cluster textbook_cluster() {
  hardware::Cluster cluster;
  cluster.node.accelerator.compute_units = 100;
  cluster.node.accelerator.clock_hz = 1e9;
  cluster.node.accelerator.peak_flops_per_s.fill(1e15);
  cluster.node.accelerator.hbm_bandwidth_bytes_per_s = 1e12;
  return cluster;
}

}  // namespace

TEST_CASE("a rate changes a kernel's work and leaves its launch") {
  Cost cost;
  cost.latency_s = 2e-6;
  cost.duration_s = 10e-6;
  CHECK(at_rate(cost, 0.5).duration_s == Approx(18e-6));
  CHECK(at_rate(cost, 0.5).latency_s == Approx(2e-6));
  CHECK(at_whole_rate(cost, 0.5).duration_s == Approx(20e-6));
  CHECK(at_whole_rate(cost, 0.5).latency_s == Approx(4e-6));
}

TEST_CASE("the wait for the last device comes before a collective, whose data move as they did") {
  Cost cost;
  cost.latency_s = 2e-6;
  cost.duration_s = 10e-6;
  CHECK(after_wait(cost, 30e-6).latency_s == Approx(32e-6));
  CHECK(after_wait(cost, 30e-6).duration_s == Approx(40e-6));
  CHECK(after_wait(cost, 0).duration_s == 10e-6);
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

TEST_CASE("matrix-vector kernels know no rate of the library's matrix units") {
  const hardware::Cluster cluster = textbook_cluster();
  const auto seconds = [&](double rows, const KernelRates& rates) {
    return Book(cluster, {}, {}, {}, rates).gemm({rows, 8192, 8192}).duration_s;
  };
  const KernelRates untuned{.gemm_arithmetic = 0.05};
  const KernelRates with_vectors{.gemm_arithmetic = 0.05, .matrix_vector_rows = 4};
  CHECK(seconds(4, with_vectors) == seconds(4, {}));
  CHECK(seconds(4, with_vectors) < seconds(4, untuned));
  CHECK(seconds(5, with_vectors) == seconds(5, untuned));
  // Their weights still stream at the runtime's rate: 134 MB at 0.85 x 0.5 of 1 TB/s.
  const KernelRates slow{.gemm_memory = 0.5, .matrix_vector_rows = 4};
  CHECK(seconds(1, slow) > 2 * 8192.0 * 8192 / (0.85 * 0.5 * 1e12));
}

TEST_CASE("a product whose input arrives quantised saves the kernel that quantises") {
  const hardware::Cluster cluster = textbook_cluster();
  model::Precision precision;
  precision.activations = DataType::fp8;
  const Book both(cluster, {}, precision, std::nullopt);
  const Book alone(cluster, {}, precision, std::nullopt, {.quantizes_in_product = false});
  const auto saved = [&](DataType dtype) {
    const GemmShape shape{1000, 512, 4096, dtype};
    return both.gemm(shape).duration_s - alone.gemm(shape).duration_s;
  };
  // Textbook values: 2 us to start an element-wise kernel, held at what the product takes to start;
  // 1e-7 s a row on one of 100 units; 3 bytes an element at 0.85 of 1 TB/s.
  const double launch_s = std::min(2e-6, gemm_parameters()[0].initial);
  REQUIRE(gemm_parameters()[0].name == "launch_latency_s");
  CHECK(saved(DataType::fp8) == Approx(launch_s + 1e-7 * 1000 / 100 + 3 * 1000. * 4096 / 0.85e12));
  CHECK(saved(DataType::bf16) == 0);
}

TEST_CASE("norms and activations run at their own rate, products as before") {
  const hardware::Cluster cluster = textbook_cluster();
  const Book measured(cluster, {}, {}, std::nullopt);
  const Book slow(cluster, {}, {}, std::nullopt, {.elementwise = 0.5});
  const ElementwiseShape shape{ElementwiseKind::residual_add, 4096, 8192};
  const Cost once = measured.elementwise(shape), twice = slow.elementwise(shape);
  CHECK(twice.duration_s - twice.latency_s == Approx(2 * (once.duration_s - once.latency_s)));
  CHECK(slow.gemm({4096, 512, 512}).duration_s == measured.gemm({4096, 512, 512}).duration_s);
}
