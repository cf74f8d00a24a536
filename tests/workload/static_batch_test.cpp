#include <numeric>

#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using testing::scenario_with;

namespace {

double makespan(const std::vector<std::pair<std::string, nlohmann::json>>& changes) {
  const workload::Result result = workload::run(scenario_with(changes));
  REQUIRE(result.metrics.makespan_ms);
  return *result.metrics.makespan_ms;
}

}  // namespace

TEST_CASE("the breakdown of the busiest device sums to the makespan") {
  const int tp = GENERATE(1, 4);
  const int pp = GENERATE(1, 2);
  const std::string runtime = GENERATE(as<std::string>{}, "ideal", "vllm", "vllm-eager");
  const workload::Result result =
      workload::run(scenario_with({{"plan.tp", tp}, {"plan.pp", pp}, {"runtime", runtime}}));
  double time_ms = 0, share = 0;
  for (const workload::BreakdownRow& row : result.breakdown) {
    CHECK(row.time_ms >= 0);
    time_ms += row.time_ms;
    share += row.share;
  }
  // Rows are exact picoseconds; only their sum in milliseconds rounds.
  CHECK(time_ms == Approx(*result.metrics.makespan_ms).epsilon(1e-9));
  CHECK(share == Approx(1).epsilon(1e-9));
}

TEST_CASE("one device communicates nothing") {
  const workload::Result result = workload::run(scenario_with({{"runtime", "vllm"}}));
  CHECK(*result.metrics.communication_ms == 0);
  CHECK(*result.metrics.exposed_communication_ms == 0);
  CHECK(*result.metrics.compute_ms == *result.metrics.makespan_ms);
  CHECK_FALSE(result.metrics.bubble_fraction);
}

TEST_CASE("one output token has no time per output token") {
  const workload::Result result = workload::run(scenario_with({{"workload.output_tokens", 1}}));
  CHECK_FALSE(result.metrics.tpot_ms);
  CHECK_FALSE(result.metrics.decode_pass_ms);
  // The mean goes through seconds and a division by the sequences: the last bit may differ.
  CHECK(*result.metrics.ttft_ms == Approx(*result.metrics.makespan_ms).epsilon(1e-12));
}

TEST_CASE("tokens per second are tokens over the makespan") {
  const workload::Result result =
      workload::run(scenario_with({{"plan.dp", 2}, {"workload.output_tokens", 8}}));
  const double seconds = *result.metrics.makespan_ms / 1e3;
  // Two replicas of four sequences: 8 output and 64 input tokens each.
  CHECK(*result.metrics.output_tokens_per_s == Approx(2 * 4 * 8 / seconds));
  CHECK(*result.metrics.total_tokens_per_s == Approx(2 * 4 * (8 + 64) / seconds));
  CHECK(*result.metrics.output_tokens_per_s_per_device == Approx(4 * 8 / seconds));
  CHECK(*result.metrics.output_tokens_per_s_per_user == Approx(1e3 / *result.metrics.tpot_ms));
}

TEST_CASE("replicas do not slow each other") {
  CHECK(makespan({{"plan.dp", 8}}) == makespan({}));
}

TEST_CASE("faster links and memory never take longer, more tokens never shorter") {
  const auto with_link = [](double bytes_per_s) {
    return makespan({{"plan.tp", 8},
                     {"runtime", "vllm"},
                     {"cluster.override.link.bandwidth_bytes_per_s", bytes_per_s}});
  };
  CHECK(with_link(2e10) > with_link(4e10));
  CHECK(with_link(4e10) > with_link(8e10));
  const auto with_hbm = [](double bytes_per_s) {
    return makespan({{"cluster.override.accelerator.hbm_bandwidth_bytes_per_s", bytes_per_s}});
  };
  CHECK(with_hbm(3e12) > with_hbm(6e12));
  CHECK(makespan({{"workload.output_tokens", 5}}) > makespan({}));
  CHECK(makespan({{"workload.input_tokens", 128}}) > makespan({}));
}

TEST_CASE("nothing is faster than the speed of light") {
  const std::string runtime = GENERATE(as<std::string>{}, "ideal", "vllm", "paper");
  const workload::Result result =
      workload::run(scenario_with({{"runtime", runtime}, {"plan.tp", 2}, {"plan.pp", 2}}));
  CHECK(*result.metrics.speed_of_light_share <= 1 + 1e-9);
}

TEST_CASE(
    "under ideal a whole pass of one nano-batch takes as long on a pipeline as on one device") {
  // Stages share out the layers; only the transfers are added.
  const workload::Result one = workload::run(scenario_with({{"workload.batch", 1}}));
  const workload::Result four =
      workload::run(scenario_with({{"workload.batch", 1}, {"plan.pp", 4}}));
  const double transfers = *four.metrics.prefill_pass_ms - *one.metrics.prefill_pass_ms;
  CHECK(transfers >= 0);
  CHECK(transfers < 0.05 * *one.metrics.prefill_pass_ms);
}

TEST_CASE("a block alone is its kernels") {
  const workload::Result result = workload::run(scenario_with(
      {{"plan.tp", 4},
       {"workload",
        {{"kind", "block"}, {"block", "mlp"}, {"batch", 2}, {"sequence_length", 512}}}}));
  double gemms = 0;
  for (const workload::BreakdownRow& row : result.breakdown) {
    if (row.kernel.ends_with("gemm")) gemms += static_cast<double>(row.count);
  }
  CHECK(gemms == 2);
  CHECK(*result.metrics.exposed_communication_ms > 0);
  CHECK_FALSE(result.metrics.ttft_ms);
}
