// Attention of a training step whose context is parallel.
#include <nlohmann/json.hpp>

#include "sim/lowering/training_kernels.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

namespace tradewind::lowering {
namespace {

constexpr double kTokens = 8192, kHidden = 4096, kKeyColumns = 1024;

scenario::Scenario on_ranks(int context_parallel) {
  return testing::scenario_with({{"model", "llama-3.1-8b"},
                                 {"cluster", "h100-8"},
                                 {"runtime", "ideal"},
                                 {"plan", {{"cp", context_parallel}, {"memory_check", "report"}}},
                                 {"workload",
                                  {{"kind", "training"},
                                   {"sequence_length", static_cast<int>(kTokens)},
                                   {"micro_batch", 1},
                                   {"global_batch", 1}}}});
}

Segment core(int context_parallel, bool forward) {
  const scenario::Scenario scenario = on_ranks(context_parallel);
  const kernels::Book book = book_for(scenario);
  return forward ? attention_core(scenario, book, false)
                 : attention_core_backward(scenario, book, false);
}

double bytes_of(const Segment& segment, std::size_t step) {
  return std::get<Kernel>(segment.at(step)).cost.hbm_bytes;
}

}  // namespace

TEST_CASE("ring attention merges each block after the first in fp32") {
  REQUIRE(core(1, true).size() == 1);
  for (const int ranks : {2, 4, 8}) {
    // 10 bytes an element of three quarters of the rank's queries; then the messages.
    const double merges = 10 * 0.75 * (ranks - 1), tokens = kTokens / ranks;
    const Segment forward = core(ranks, true), backward = core(ranks, false);
    REQUIRE(forward.size() == 3);
    CHECK(bytes_of(forward, 1) == Approx(merges * tokens * kHidden));
    CHECK(bytes_of(backward, 1) == Approx(merges * tokens * (kHidden + 2 * kKeyColumns)));
    CHECK(std::get<Kernel>(forward[2]).kind == KernelKind::p2p);
  }
}

}  // namespace tradewind::lowering
