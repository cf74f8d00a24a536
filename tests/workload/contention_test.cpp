#include <cmath>

#include "sim/workload/pass_times.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using testing::scenario_with;

namespace {

/// A matrix product of `out` x `in` over 8192 tokens beside an all-gather of 8 devices that takes
/// `ratio` of the product's time by kernels alone, which is what "serial" and "ideal" mean.
/// The share of the ideal gain: (serial / overlapped - 1) / (serial / longer - 1), at most 1 (copy
/// engines move large messages faster than the kernels that define it).
double gain_of(const std::string& cluster, const std::string& transport, double out, double in,
               double ratio) {
  const scenario::Scenario scenario = scenario_with({{"cluster", cluster},
                                                     {"runtime", "vllm"},
                                                     {"plan.tp", 8},
                                                     {"plan.overlap.strategy", "flash"},
                                                     {"plan.overlap.transport", transport}});
  const workload::RunContext context(scenario);
  constexpr double kTokens = 8192;
  lowering::PairSpec pair{
      lowering::Pair::gather_compute,
      lowering::KernelKind::all_gather,
      kTokens,
      1,
      0,
      [&](double rows, double compute_units_free) {
        const kernels::Cost cost = context.book.gemm({rows, out, in}, compute_units_free);
        return lowering::Segment{lowering::Kernel(lowering::KernelKind::gate_up_gemm, cost)};
      }};
  const double product_s =
      std::get<lowering::Kernel>(pair.compute(kTokens, 1).front()).cost.duration_s;
  const auto collective_s = [&] {
    return lowering::pair_collective(scenario, context.book, pair, kTokens).cost.duration_s;
  };
  for (int i = 0; i < 60; ++i) pair.bytes_per_row *= std::sqrt(ratio * product_s / collective_s());
  const double serial_s = product_s + collective_s();
  const double longer_s = std::max(product_s, collective_s());

  const auto region = lowering::make_beside(scenario, context.book, pair);
  const lowering::LaunchCost free{};
  const double overlapped_s = context.regions.run(region, free, Time{}, true).device.seconds();
  return std::min(1.0, (serial_s / overlapped_s - 1) / (serial_s / longer_s - 1));
}

double mean_gain(const std::string& transport) {
  // Products of Llama-3.1-70B and 405B, whole as under FSDP and the MLP's at tp 8, beside
  // collectives that are shorter, as long and longer: the three classes of arXiv 2412.14335.
  constexpr double kProducts[][2] = {
      {10240, 8192},   {8192, 8192},   {57344, 8192}, {8192, 28672}, {18432, 16384}, {16384, 16384},
      {106496, 16384}, {16384, 53248}, {7168, 8192},  {8192, 3584},  {13312, 16384}, {16384, 6656}};
  double sum = 0;
  int count = 0;
  for (const auto& [out, in] : kProducts) {
    for (const double ratio : {0.25, 0.5, 1.0, 2.0}) {
      sum += gain_of("mi300x-8", transport, out, in, ratio);
      ++count;
    }
  }
  return sum / count;
}

}  // namespace

TEST_CASE("MI300X: kernels without priority, with it, and copy engines reach what was measured") {
  // arXiv 2412.14335 (MI300X): 21 %, 42 % and 72 % of the ideal gain. Its products and messages are
  // not published: 15 points of room, and the order.
  const double naive = mean_gain("kernels_without_priority");
  const double priority = mean_gain("kernels");
  const double engines = mean_gain("copy_engines");
  INFO(naive << " " << priority << " " << engines);
  CHECK(naive == Approx(0.21).margin(0.15));
  CHECK(priority == Approx(0.42).margin(0.15));
  CHECK(engines == Approx(0.72).margin(0.15));
  CHECK(naive < priority);
  CHECK(priority < engines);
}

TEST_CASE("a product beside a collective is slowed as measured, on every part") {
  // arXiv 2507.03114 (A100, H100, MI250, MI210): 18.9 % on average, 40 % at most; the issue asks
  // for 5 to 40 %.
  for (const std::string cluster : {"a100-8", "h100-8", "mi300x-8"}) {
    const scenario::Scenario scenario = scenario_with({{"cluster", cluster},
                                                       {"runtime", "vllm"},
                                                       {"plan.tp", 8},
                                                       {"plan.overlap.strategy", "flash"}});
    const workload::RunContext context(scenario);
    const lowering::PairSpec pair{
        lowering::Pair::gather_compute,
        lowering::KernelKind::all_gather,
        8192,
        16384,
        0,
        [&](double rows, double compute_units_free) {
          const kernels::Cost cost = context.book.gemm({rows, 8192, 8192}, compute_units_free);
          return lowering::Segment{lowering::Kernel(lowering::KernelKind::gate_up_gemm, cost)};
        }};
    const auto region = lowering::make_beside(scenario, context.book, pair);
    const double alone_s = region->compute.front().duration().seconds();
    const double transfer_s = region->transfer.duration().seconds();
    REQUIRE(transfer_s < alone_s);  // so that the product's end is the region's
    const double beside_s = context.regions.run(region, {}, Time{}, true).device.seconds();
    // The product loses speed s while the transfer lasts: beside = alone + s x transfer.
    const double slowed = (beside_s - alone_s) / transfer_s;
    INFO(cluster << " " << slowed);
    CHECK(slowed >= 0.05);
    CHECK(slowed <= 0.40);
  }
}
