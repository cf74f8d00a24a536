#include "sim/workload/serving/step_pricer.h"

#include "tests/catch.h"
#include "tests/scenario_builder.h"

namespace tradewind::workload {
namespace {

using lowering::MixedShape;
using lowering::PassShape;
using lowering::Phase;
using testing::scenario_with;

using Changes = std::vector<std::pair<std::string, nlohmann::json>>;

/// Models, layouts and runtimes that differ in how a pass is timed.
std::vector<Changes> layouts() {
  return {
      {},
      {{"runtime", "vllm"}, {"plan.tp", 4}},
      {{"runtime", "vllm"}, {"model", "llama-3.1-70b"}, {"plan.tp", 2}, {"plan.pp", 4}},
      {{"runtime", "vllm-eager"}, {"plan.tp", 8}, {"plan.sequence_parallel", true}},
      {{"runtime", "vllm"}, {"model", "nemotron-h-8b"}, {"plan.tp", 2}},
      {{"runtime", "vllm"}, {"model", "mistral-7b"}},
      {{"runtime", "vllm"}, {"plan.tp", 4}, {"plan.overlap", "slicing"}},
  };
}

void require_same(const PassTimes& priced, const PassTimes& whole) {
  for (std::size_t v = 0; v < kVariantCount; ++v) {
    const PassTimes::OfVariant &a = priced.variants[v], &b = whole.variants[v];
    REQUIRE(a.host == b.host);
    REQUIRE(a.stage == b.stage);
    REQUIRE(a.transfer == b.transfer);
    REQUIRE(a.token_return == b.token_return);
  }
}

PassTimes whole_pass(const RunContext& context, const PassShape& shape) {
  return time_pass(context, shape, lowering::lower_pass(context.scenario, context.book, shape));
}

TEST_CASE("A step of decodes alone costs what a decode pass costs, to the picosecond") {
  for (const Changes& changes : layouts()) {
    const auto scenario = scenario_with(changes);
    const RunContext context(scenario);
    StepPricer pricer(context);
    for (const int sequences : {1, 7, 64}) {
      for (const int tokens : {100, 101, 3000}) {
        const PassShape shape{Phase::decode, sequences, 1, tokens, true};
        const MixedShape mixed{sequences, 1.0 * tokens, 0, 0, 0, sequences};
        require_same(pricer.price(mixed, 1.0 * sequences * tokens), whole_pass(context, shape));
      }
    }
  }
}

TEST_CASE("A step of equal prompts alone costs what a prefill pass costs, to the picosecond") {
  for (const Changes& changes : layouts()) {
    const auto scenario = scenario_with(changes);
    const RunContext context(scenario);
    StepPricer pricer(context);
    for (const int sequences : {1, 3}) {
      for (const auto& [tokens, end] : {std::pair{512, 512}, std::pair{512, 1024}}) {
        const PassShape shape{Phase::prefill, sequences, tokens, end, true};
        const MixedShape mixed{0,         0,        sequences, std::int64_t{sequences} * tokens,
                               1.0 * end, sequences};
        require_same(pricer.price(mixed, 1.0 * sequences * end), whole_pass(context, shape));
      }
    }
  }
}

TEST_CASE("A mixed step is its products over all tokens and both kinds of attention") {
  // On one device of a roofline without latencies nothing but the kernels' own times adds up.
  const auto scenario = scenario_with({});
  const RunContext context(scenario);
  StepPricer pricer(context);
  const auto stage = [&](const MixedShape& shape) {
    return pricer.price(shape, 0).of(Variant::simulated).stage[0];
  };
  const Time mixed = stage({32, 1000, 1, 480, 480, 33});
  const Time decodes = stage({32, 1000, 0, 0, 0, 32});
  const Time chunk = stage({0, 0, 1, 480, 480, 1});
  // Sharing the products never costs more than two steps, and no step is faster than a part of it.
  CHECK(mixed < decodes + chunk);
  CHECK(mixed > decodes);
  CHECK(mixed > chunk);
}

TEST_CASE("Unequal contexts cost what their mean does, within 2 % of the step") {
  // The reference is the mean over batches that are equal in themselves: attention is affine in the
  // context but for the steps of its splits.
  for (const char* cluster : {"h100-8", "mi300x-8"}) {
    const auto scenario = scenario_with({{"runtime", "vllm"}, {"cluster", cluster}});
    const RunContext context(scenario);
    StepPricer pricer(context);
    const auto step_s = [&](double tokens) {
      return pricer.price({64, tokens, 0, 0, 0, 64}, 0).of(Variant::simulated).stage[0].seconds();
    };
    double sum_s = 0, tokens = 0;
    constexpr int kDraws = 500;
    for (int draw = 0; draw < kDraws; ++draw) {
      const double length = 100 + draw * 7919 % 3900;
      sum_s += step_s(length);
      tokens += length;
    }
    CHECK(step_s(tokens / kDraws) == Approx(sum_s / kDraws).epsilon(0.02));
  }
}

TEST_CASE("Unequal chunks priced as one kernel cost what they do one by one, within 10 %") {
  // One kernel instead of several also saves launches and fills the last wave: the products are
  // left out of the comparison, the launches of attention are in it.
  for (const char* cluster : {"h100-8", "mi300x-8"}) {
    const auto scenario = scenario_with({{"runtime", "vllm"}, {"cluster", cluster}});
    const RunContext context(scenario);
    const auto attention_s = [&](const MixedShape& shape) {
      const lowering::PassKernels kernels =
          lowering::lower_mixed(context.scenario, context.book, shape);
      double seconds = 0;
      for (const lowering::Step& step : kernels.layer[0]) {
        const lowering::Kernel* kernel = lowering::kernel_of(step);
        if (kernel->kind == lowering::KernelKind::attention) seconds += kernel->cost.duration_s;
      }
      return seconds;
    };
    // Prompts of 1,000, 2,000, 4,000 and 8,000 tokens: 15,000, with as many pairs together.
    double pairs = 0, one_by_one_s = 0;
    for (const int tokens : {1000, 2000, 4000, 8000}) {
      pairs += 0.5 * tokens * (tokens + 1.0);
      one_by_one_s += attention_s({0, 0, 1, tokens, 1.0 * tokens, 1});
    }
    const double mean = 15000 / 4.0;
    const MixedShape together{0, 0, 4, 15000, pairs / 15000 + (mean - 1) / 2, 4};
    CHECK(attention_s(together) == Approx(one_by_one_s).epsilon(0.1));
  }
}

TEST_CASE("The breakdown of priced steps holds every kernel of every step") {
  const auto scenario =
      scenario_with({{"runtime", "vllm"}, {"model", "llama-3.1-70b"}, {"plan.tp", 4}});
  const RunContext context(scenario);
  StepPricer pricer(context);
  Time busy;
  for (int step = 0; step < 10; ++step) {
    const MixedShape mixed{20 + step % 3, 500.0 + step, step % 2, step % 2 * 100, 100, 20};
    busy += pricer.price(mixed, 0).of(Variant::simulated).stage[0];
  }
  const Breakdown breakdown = pricer.breakdown(0);
  // What is left are launches: the host's in eager prefill, the graph's in decode.
  CHECK(breakdown.total() <= busy);
  CHECK(breakdown.total().seconds() > 0.5 * busy.seconds());
  for (const BreakdownRow& row : breakdown.rows(busy)) {
    if (row.kernel == "attention" && row.phase == "prefill") CHECK(row.count == 2 * 5 * 80);
    if (row.kernel == "qkv_gemm" && row.phase == "prefill") CHECK(row.count == 5 * 80);
    if (row.kernel == "qkv_gemm" && row.phase == "decode") CHECK(row.count == 5 * 80);
  }
}

}  // namespace
}  // namespace tradewind::workload
