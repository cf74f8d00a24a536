#include "sim/lowering/mamba_kernels.h"

#include <memory>
#include <vector>

#include "sim/model/count.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using namespace tradewind::lowering;
using testing::scenario_with;

namespace {

constexpr PassShape kPrefill{Phase::prefill, 2, 512, 512, true};
constexpr PassShape kDecode{Phase::decode, 2, 1, 512, true};

scenario::Scenario mamba_on(int tp) {
  return scenario_with({{"model", "mamba2-8b"}, {"plan.tp", tp}});
}

Segment layer_of(const scenario::Scenario& scenario, const PassShape& shape) {
  return MambaKernels(scenario, book_for(scenario), shape).layer();
}

/// The kernels of one rank, those of pairs that a strategy holds included.
std::vector<Kernel> kernels_of_all(const Segment& segment) {
  std::vector<Kernel> kernels;
  for (const Step& step : segment) {
    if (const Kernel* kernel = kernel_of(step)) {
      kernels.push_back(*kernel);
      continue;
    }
    for (const RegionKernel& part : kernels_of(*std::get<std::shared_ptr<const Region>>(step))) {
      kernels.insert(kernels.end(), static_cast<std::size_t>(part.count), *part.kernel);
    }
  }
  return kernels;
}

kernels::Cost cost_of(const Segment& segment, KernelKind kind) {
  for (const Kernel& kernel : kernels_of_all(segment)) {
    if (kernel.kind == kind) return kernel.cost;
  }
  return {};
}

std::vector<KernelKind> communication_of(const Segment& segment) {
  std::vector<KernelKind> kinds;
  for (const Kernel& kernel : kernels_of_all(segment)) {
    if (is_communication(kernel.kind)) kinds.push_back(kernel.kind);
  }
  return kinds;
}

}  // namespace

TEST_CASE("the devices of a group together do the FLOPs of the whole Mamba layer") {
  const int tp = GENERATE(1, 2, 8);
  const scenario::Scenario scenario = mamba_on(tp);
  const model::MambaDimensions& mamba = scenario.model->mamba;
  const Segment layer = layer_of(scenario, kPrefill);
  // Two per weight and token: whole numbers below 2^53, exactly.
  CHECK(tp * cost_of(layer, KernelKind::in_gemm).flops == 2 * 1024 * 4096.0 * 18560);
  CHECK(tp * cost_of(layer, KernelKind::out_gemm).flops == 2 * 1024 * 8192.0 * 4096);
  CHECK(tp * cost_of(layer, KernelKind::state_space_scan).flops ==
        2 * model::scan_flops(mamba, 512));
  CHECK(tp * cost_of(layer_of(scenario, kDecode), KernelKind::state_space_scan).flops ==
        2 * model::scan_flops(mamba, 1));
}

TEST_CASE("a step of decode reads the window of the convolution, a prefill its tokens") {
  const scenario::Scenario scenario = mamba_on(8);
  const double channels = (8192 + 2 * 8 * 128) / 8.0;
  CHECK(cost_of(layer_of(scenario, kPrefill), KernelKind::causal_conv1d).hbm_bytes ==
        1024 * 2 * channels * 2);
  CHECK(cost_of(layer_of(scenario, kDecode), KernelKind::causal_conv1d).hbm_bytes ==
        2 * 2 * channels * 4 * 2);
}

TEST_CASE("a Mamba layer ends in one sum over its devices") {
  const auto sums = [](const char* model, int tp) {
    return communication_of(layer_of(scenario_with({{"model", model}, {"plan.tp", tp}}), kPrefill));
  };
  using enum KernelKind;
  CHECK(sums("mamba2-8b", 1).empty());
  CHECK(sums("mamba2-8b", 8) == std::vector{all_reduce});
  // One group for all devices: its norm adds up the squares as well.
  CHECK(sums("mamba2-2.7b", 8) == std::vector{all_reduce, all_reduce});
}

TEST_CASE("with sequence parallelism a Mamba layer gathers before and scatters behind") {
  const scenario::Scenario scenario =
      scenario_with({{"model", "mamba2-8b"}, {"plan.tp", 8}, {"plan.sequence_parallel", true}});
  const Segment layer = layer_of(scenario, kPrefill);
  CHECK(communication_of(layer) == std::vector{KernelKind::all_gather, KernelKind::reduce_scatter});
  // The convolution sees all tokens: a shard's first ones need the shard's before.
  CHECK(cost_of(layer, KernelKind::causal_conv1d).hbm_bytes ==
        cost_of(layer_of(mamba_on(8), kPrefill), KernelKind::causal_conv1d).hbm_bytes);
}
