#include "sim/workload/serving/serving_run.h"

#include <numeric>

#include "sim/workload/run.h"
#include "sim/workload/serving/serving_result.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

namespace tradewind::workload {
namespace {

using testing::scenario_with;
using Changes = std::vector<std::pair<std::string, nlohmann::json>>;

/// A hundred requests of 512 + 64 tokens at 20 a second, with these changes.
scenario::Scenario serving_with(Changes changes) {
  changes.insert(changes.begin(),
                 {{"runtime", "vllm"},
                  {"workload",
                   {{"kind", "serving"},
                    {"requests", {{"count", 100}, {"input_tokens", 512}, {"output_tokens", 64}}},
                    {"arrival", {{"kind", "poisson"}, {"requests_per_s", 20}}}}}});
  return scenario_with(changes);
}

std::vector<Changes> deployments() {
  return {{},
          {{"plan.tp", 4}},
          {{"plan.tp", 2}, {"plan.pp", 4}, {"model", "llama-3.1-70b"}},
          {{"plan.dp", 4}},
          {{"plan.tp", 4}, {"plan.overlap", "slicing"}},
          {{"runtime", "tensorrt-llm"}, {"cluster", "h100-8"}},
          {{"plan", {{"prefill", {{"tp", 2}}}, {"decode", {{"tp", 4}}}}}}};
}

TEST_CASE("The rows of a serving run sum to its makespan, and its shares to one") {
  for (const Changes& changes : deployments()) {
    const Result result = run(serving_with(changes));
    REQUIRE(result.feasible);
    double time_ms = 0, share = 0;
    for (const BreakdownRow& row : result.breakdown) {
      CHECK(row.time_ms >= 0);
      time_ms += row.time_ms;
      share += row.share;
    }
    CHECK(time_ms == Approx(*result.metrics.makespan_ms).epsilon(1e-9));
    CHECK(share == Approx(1).epsilon(1e-9));
    CHECK(*result.metrics.speed_of_light_share > 0);
    CHECK(*result.metrics.speed_of_light_share <= 1);
    CHECK(*result.metrics.exposed_communication_ms >= 0);
    CHECK(*result.metrics.ttft_ms_p50 <= *result.metrics.ttft_ms_p99);
  }
}

TEST_CASE("The same scenario gives the same run, another seed another one") {
  const auto first = run(serving_with({}));
  const auto again = run(serving_with({}));
  const auto other = run(serving_with({{"seed", 1}}));
  for (const MetricField& field : metric_fields()) {
    CHECK(first.metrics.*field.member == again.metrics.*field.member);
  }
  CHECK(first.metrics.ttft_ms != other.metrics.ttft_ms);
}

TEST_CASE("Goodput counts the requests within the service level") {
  const auto goodput = [](const nlohmann::json& slo) {
    return *run(serving_with({{"workload.slo", slo}})).metrics.goodput_requests_per_s;
  };
  const double all = *run(serving_with({})).metrics.requests_per_s;
  CHECK(goodput({{"ttft_ms", 1e6}}) == Approx(all));
  CHECK(goodput({{"ttft_ms", 1e-3}}) == 0);
  const auto median = *run(serving_with({})).metrics.ttft_ms_p50;
  CHECK(goodput({{"ttft_ms", median}}) == Approx(all / 2).epsilon(0.02));
}

TEST_CASE("Pools: the whole plan is the sum of both, and each must be possible") {
  const auto result =
      run(serving_with({{"plan", {{"prefill", {{"tp", 2}, {"dp", 2}}}, {"decode", {{"tp", 4}}}}}}));
  REQUIRE(result.feasible);
  const double devices =
      *result.metrics.output_tokens_per_s / *result.metrics.output_tokens_per_s_per_device;
  CHECK(devices == Approx(8));

  const auto refused =
      run(serving_with({{"plan", {{"prefill", {{"tp", 3}}}, {"decode", {{"tp", 4}}}}}}));
  CHECK_FALSE(refused.feasible);
  CHECK(refused.reason.find("prefill pool: tp 3") == 0);
  const auto too_many =
      run(serving_with({{"plan", {{"prefill", {{"tp", 8}}}, {"decode", {{"tp", 8}}}}}}));
  CHECK(too_many.reason.find("16 devices") != std::string::npos);
  const auto no_server =
      run(scenario_with({{"plan", {{"prefill", {{"tp", 2}}}, {"decode", {{"tp", 2}}}}}}));
  CHECK(no_server.reason == "prefill and decode pools are for serving");
}

TEST_CASE("A starved cache costs more than its share of devices") {
  // FP8 70B on one H100 leaves room for a few sequences: measured, two devices serve 5.7 times as
  // much (TensorRT-LLM 0.20, performance overview, 1000 + 1000: 4,191 tokens/s against 735).
  const auto rate = [](int tp) {
    const auto scenario = serving_with({{"model", "llama-3.1-70b"},
                                        {"cluster", "h100-8"},
                                        {"precision", "fp8"},
                                        {"runtime", "tensorrt-llm@0.20"},
                                        {"plan.tp", tp},
                                        {"workload.arrival", {{"kind", "burst"}}},
                                        {"workload.requests.count", 1000},
                                        {"workload.requests.input_tokens", 1000},
                                        {"workload.requests.output_tokens", 1000}});
    return *run(scenario).metrics.output_tokens_per_s;
  };
  CHECK(rate(2) / rate(1) == Approx(5.7).epsilon(0.3));
}

TEST_CASE("Requests are kept where they are asked for") {
  CHECK_FALSE(run(serving_with({})).serving);
  const auto result = run(serving_with({{"plan.dp", 2}}), RunOptions{false, true});
  REQUIRE(result.serving);
  CHECK(result.serving->requests.size() == 100);
  CHECK(result.serving->replicas == 2);
  CHECK(result.serving->steps.kept.size() == result.events);
  const double sum =
      std::accumulate(result.serving->requests.begin(), result.serving->requests.end(), 0.0,
                      [](double before, const RequestOutcome& request) {
                        return before + request.ttft().milliseconds();
                      });
  CHECK(sum / 100 == Approx(*result.metrics.ttft_ms));
}

}  // namespace
}  // namespace tradewind::workload
