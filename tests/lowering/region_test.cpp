#include "sim/lowering/region.h"

#include <algorithm>

#include "sim/lowering/pass.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using testing::scenario_with;

namespace {

std::ptrdiff_t regions_of_layer(const std::string& strategy, int tokens) {
  const scenario::Scenario scenario = scenario_with({{"runtime", "vllm"},
                                                     {"plan.tp", 4},
                                                     {"plan.sequence_parallel", true},
                                                     {"plan.overlap.strategy", strategy}});
  const kernels::Book book = lowering::book_for(scenario);
  const lowering::PassShape shape{lowering::Phase::prefill, 1, tokens, tokens, true};
  const lowering::Segment layer = lowering::lower_pass(scenario, book, shape).layer[0];
  return std::count_if(layer.begin(), layer.end(), [](const lowering::Step& step) {
    return lowering::kernel_of(step) == nullptr;
  });
}

}  // namespace

TEST_CASE("vanilla takes nothing apart, a strategy every pair of the layer") {
  CHECK(regions_of_layer("vanilla", 512) == 0);
  // All-gather with QKV and gate/up, output and down projection with reduce-scatter.
  CHECK(regions_of_layer("slicing", 512) == 4);
  CHECK(regions_of_layer("flash", 512) == 4);
}

TEST_CASE("a pair with fewer rows than slices stays whole") {
  CHECK(regions_of_layer("flash", 4) == 4);
  CHECK(regions_of_layer("flash", 3) == 0);
}
