// Mamba-2 models and hybrids from a scenario to its metrics.
#include <algorithm>

#include "sim/workload/run.h"
#include "sim/workload/unfolded.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using testing::scenario_with;
using Changes = std::vector<std::pair<std::string, nlohmann::json>>;

namespace {

const nlohmann::json kMamba = {{"base", "mamba2-8b"}, {"num_hidden_layers", 5}};
const nlohmann::json kHybrid = {
    {"base", "nemotron-h-8b"}, {"num_hidden_layers", 7}, {"hybrid_override_pattern", "M-M*-M-"}};

void check_folded_is_full(const scenario::Scenario& scenario) {
  REQUIRE(scenario::structural_reason(scenario).empty());
  const workload::RunContext context(scenario);
  const auto& batch = std::get<scenario::StaticBatch>(scenario.workload);
  const workload::StaticBatchRun folded = workload::run_folded(context, batch);
  const workload::UnfoldedRun full =
      workload::run_unfolded(context, batch, batch.output_tokens - 1);
  CHECK(folded.of(workload::Variant::simulated).makespan == full.simulated.makespan);
  CHECK(folded.of(workload::Variant::simulated).prefill_done == full.simulated.prefill_done);
  CHECK(folded.of(workload::Variant::without_communication).makespan ==
        full.without_communication.makespan);
}

std::int64_t launches(const workload::Result& result, const std::string& phase,
                      const std::string& kernel) {
  for (const workload::BreakdownRow& row : result.breakdown) {
    if (row.phase == phase && row.kernel == kernel) return row.count;
  }
  return 0;
}

}  // namespace

TEST_CASE("folding changes no picosecond of Mamba and hybrid models") {
  const nlohmann::json model = GENERATE(kMamba, kHybrid);
  const std::string runtime = GENERATE(as<std::string>{}, "ideal", "vllm-eager");
  const auto [tp, pp] = GENERATE(table<int, int>({{1, 1}, {8, 1}, {2, 2}, {1, 3}}));
  const bool sharded = GENERATE(false, true);
  INFO(runtime << " tp " << tp << " pp " << pp);
  check_folded_is_full(scenario_with({{"model", model},
                                      {"runtime", runtime},
                                      {"plan.tp", tp},
                                      {"plan.pp", pp},
                                      {"plan.sequence_parallel", sharded},
                                      {"workload.batch", 3}}));
}

TEST_CASE("folding changes no picosecond where a strategy overlaps Mamba's projections") {
  const nlohmann::json model = GENERATE(kMamba, kHybrid);
  const std::string strategy = GENERATE(as<std::string>{}, "slicing", "decompose", "flash");
  const bool sharded = GENERATE(false, true);
  INFO(strategy);
  check_folded_is_full(scenario_with({{"model", model},
                                      {"plan.tp", 4},
                                      {"plan.sequence_parallel", sharded},
                                      {"plan.overlap", {{"strategy", strategy}}},
                                      {"workload.input_tokens", 256}}));
}

TEST_CASE("every Mamba layer projects, convolves, recurs, norms and projects once a pass") {
  const workload::Result result =
      workload::run(scenario_with({{"model", "mamba2-8b"}, {"plan.tp", 8}}));
  REQUIRE(result.feasible);
  for (const char* kernel :
       {"in_gemm", "causal_conv1d", "state_space_scan", "gated_rms_norm", "out_gemm"}) {
    CAPTURE(kernel);
    CHECK(launches(result, "prefill", kernel) == 56);
    CHECK(launches(result, "decode", kernel) == 3 * 56);
  }
  // One sum a layer, one of the embedding; eight groups on eight devices norm by themselves.
  CHECK(launches(result, "prefill", "all_reduce") == 56 + 1);
  CHECK(launches(result, "prefill", "attention") == 0);
  CHECK(launches(result, "prefill", "rope") == 0);
}

TEST_CASE("devices that share the one group of a Mamba norm add up its sums") {
  const workload::Result result =
      workload::run(scenario_with({{"model", "mamba2-2.7b"}, {"plan.tp", 2}}));
  REQUIRE(result.feasible);
  CHECK(launches(result, "prefill", "all_reduce") == 2 * 64 + 1);
}

TEST_CASE("a hybrid runs each part as often as its pattern has the letter") {
  const workload::Result result =
      workload::run(scenario_with({{"model", "nemotron-h-8b"}, {"plan.tp", 8}}));
  REQUIRE(result.feasible);
  CHECK(launches(result, "prefill", "state_space_scan") == 24);
  CHECK(launches(result, "prefill", "attention") == 4);
  CHECK(launches(result, "prefill", "kv_cache_write") == 4);
  CHECK(launches(result, "prefill", "rope") == 0);
  CHECK(launches(result, "prefill", "relu2") == 24);
  CHECK(launches(result, "prefill", "silu_mul") == 0);
  CHECK(launches(result, "prefill", "all_reduce") == 52 + 1);
}

TEST_CASE("a token of a Mamba model takes as long behind any context") {
  const auto per_token = [](int input_tokens) {
    return *workload::run(scenario_with({{"model", "mamba2-8b"},
                                         {"workload.batch", 1},
                                         {"workload.input_tokens", input_tokens}}))
                .metrics.tpot_ms;
  };
  // Not to the last bit: a mean of the same differences at other moments.
  CHECK(per_token(100) == Approx(per_token(20000)).epsilon(1e-9));
}

TEST_CASE("a Mamba block is the same folded and full, and costs what its layer does") {
  const auto block = [](const char* model) {
    return scenario_with(
        {{"model", model},
         {"plan.tp", 4},
         {"workload",
          {{"kind", "block"}, {"block", "mamba"}, {"batch", 2}, {"sequence_length", 512}}}});
  };
  const workload::Result folded = workload::run(block("nemotron-h-8b"));
  REQUIRE(folded.feasible);
  CHECK(*folded.metrics.makespan_ms ==
        *workload::run(block("nemotron-h-8b"), {.full = true}).metrics.makespan_ms);
  CHECK(launches(folded, "block", "state_space_scan") == 1);
  // The 8B models have one and the same Mamba layer but for the chunk.
  CHECK(launches(workload::run(block("mamba2-8b")), "block", "in_gemm") == 1);
}
