#include "sim/report/serving_page.h"

#include <numeric>
#include <set>

#include "sim/report/request_csv.h"
#include "sim/report/serving_curves.h"
#include "sim/report/serving_timeline.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using workload::RequestOutcome;

namespace {

Time ms(double milliseconds) {
  return Time::from_seconds(1e-3 * milliseconds);
}

/// Two requests that were served, one that was not.
workload::ServingOutcome outcome() {
  workload::ServingOutcome outcome;
  outcome.requests = {{ms(0), ms(1), ms(11), ms(51), 100, 5, 0, 0, false},
                      {ms(10), ms(12), ms(400), ms(400), 200, 1, 2, 0, false},
                      {ms(20), {}, {}, {}, 9000, 7, 0, 0, true}};
  outcome.capacity_blocks = 50;
  outcome.block_tokens = 16;
  outcome.replicas = 1;
  outcome.steps.kept = {{ms(1), ms(11), 0, 0, 1, 100, 1, 0, 7},
                        {ms(100), ms(400), 0, 1, 1, 200, 2, 3, 25}};
  return outcome;
}

double integral(const std::vector<double>& rates, const std::vector<double>& end_s) {
  return std::accumulate(rates.begin(), rates.end(), 0.0) * end_s.front();
}

}  // namespace

TEST_CASE("each request is a row: times from its arrival, empty where they mean nothing") {
  CHECK(report::request_csv(outcome()) ==
        "request,arrival_ms,queue_ms,ttft_ms,tpot_ms,e2e_latency_ms,input_tokens,output_tokens,"
        "preemptions\n"
        "0,0.000,1,11,10,51,100,5,0\n"
        "1,10.000,2,390,,390,200,1,2\n"
        "2,20.000,,,,,9000,7,0\n");
}

TEST_CASE("a distribution climbs to 1 at the largest value, however many there are") {
  const report::Distribution small = report::distribution_of({30, 10, 20});
  CHECK(small.value == std::vector<double>{10, 20, 30});
  CHECK(small.share.back() == 1);
  CHECK(small.share.front() == Approx(1.0 / 3));
  std::vector<double> many(100'000);
  std::iota(many.begin(), many.end(), 1.0);
  const report::Distribution large = report::distribution_of(many);
  CHECK(large.value.size() == 400);
  CHECK(large.value.back() == 100'000);
  for (std::size_t i = 0; i < large.value.size(); ++i) {
    REQUIRE(large.share[i] == Approx(large.value[i] / 100'000));
  }
  CHECK(report::distribution_of({}).value.empty());
}

TEST_CASE("curves over time hold every token and every request once") {
  const report::TimeCurves curves = report::time_curves(outcome());
  REQUIRE(curves.end_s.size() == 400);
  CHECK(curves.end_s.back() == Approx(0.4));
  CHECK(integral(curves.output_tokens_per_s, curves.end_s) == Approx(6));
  CHECK(integral(curves.requests_per_s, curves.end_s) == Approx(2));
  // Nothing before the first step, then what the last step showed.
  CHECK((curves.running.front() == 0 && curves.running[50] == 1 && curves.running.back() == 2));
  CHECK((curves.waiting[50] == 0 && curves.waiting.back() == 3));
  CHECK(curves.cache_share.back() == Approx(0.5));
}

TEST_CASE("a serving timeline has each step once, those that overlap in lanes of their own") {
  workload::ServingOutcome pipelined = outcome();
  pipelined.steps.kept.push_back({ms(200), ms(500), 0, 4, 0, 0, 4, 0, 30});
  const std::string text = report::serving_timeline(pipelined);
  const nlohmann::json trace = nlohmann::json::parse(text);
  int slices = 0;
  std::set<int> lanes;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++slices;
    lanes.insert(event["tid"].get<int>());
  }
  CHECK(slices == 3);
  CHECK(lanes.size() == 2);
  CHECK_THAT(text, Contains("100 prompt tokens") && Contains("1 decode + 200 prompt tokens") &&
                       Contains("4 decode"));
}

TEST_CASE("a run in which nothing was served has no curves") {
  workload::ServingOutcome none = outcome();
  none.requests.erase(none.requests.begin(), none.requests.begin() + 2);
  CHECK(report::time_curves(none).end_s.empty());
  CHECK(report::latencies_of(none).ttft.value.empty());
}

TEST_CASE("the page of a serving run has its curves, its figures and its scenario") {
  const scenario::Scenario scenario = testing::scenario_with(
      {{"workload",
        {{"kind", "serving"},
         {"requests", {{"count", 3}, {"input_tokens", 100}, {"output_tokens", 5}}},
         {"arrival", {{"kind", "poisson"}, {"requests_per_s", 2}}},
         {"slo", {{"ttft_ms", 123}}}}}});
  workload::Result result;
  result.serving = std::make_shared<const workload::ServingOutcome>(outcome());
  result.metrics.ttft_ms_p50 = 42.5;
  result.notes = {"1 of 3 requests is longer than the <cache>"};
  const std::string page = report::serving_page(scenario, result, {"0", "tradewind run"});
  CHECK_THAT(page, Contains("TTFT, median") && Contains("42.5") && Contains("\"ttft\":123") &&
                       Contains("&lt;cache&gt;") && Contains("2.000 requests/s, Poisson") &&
                       !Contains("{{"));
}
