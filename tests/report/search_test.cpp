#include "sim/study/search.h"

#include "sim/report/search_table.h"
#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

Json search_of(const Json& level) {
  return {{"objective", "max_goodput"},
          {"base",
           {{"model", "llama-3.1-8b"},
            {"cluster", "h100-8"},
            {"runtime", "vllm"},
            {"workload",
             {{"kind", "serving"},
              {"requests", {{"count", 60}, {"input_tokens", 512}, {"output_tokens", 16}}},
              {"arrival", {{"kind", "poisson"}, {"requests_per_s", 3}}},
              {"slo", level}}}}},
          {"axes", {{"plan.tp", {1, 2}}}},
          {"rate", {{"tolerance", 0.05}}},
          {"attainment", 0.9}};
}

study::SweepResults run(const Json& search, int jobs = 1) {
  return study::run_search(study::read_search(search.dump(), "search"), testing::catalogue(),
                           {jobs, {}});
}

double share_at(const study::Point& point, double rate) {
  scenario::Scenario scenario = point.scenario;
  auto& serving = std::get<scenario::Serving>(scenario.workload);
  serving.arrival.requests_per_s = rate;
  return study::attained_share(serving, workload::run(scenario).metrics);
}

double rate_of(const study::Point& point) {
  return std::get<scenario::Serving>(point.scenario.workload).arrival.requests_per_s;
}

}  // namespace

TEST_CASE("a plan keeps its service level at the rate found, and not well above it") {
  const study::SweepResults results = run(search_of({{"ttft_ms", 100}}));
  REQUIRE(results.points.size() == 2);
  CHECK(results.axes.back() == "workload.arrival.requests_per_s");
  for (const study::Point& point : results.points) {
    REQUIRE(point.result.feasible);
    CHECK(share_at(point, rate_of(point)) >= 0.9);
    // 5 % above it some rate failed; half as much again is beyond the noise of 60 draws.
    CHECK(share_at(point, rate_of(point) * 1.5) < 0.9);
  }
  const std::string table = report::search_table(
      study::read_search(search_of({{"ttft_ms", 100}}).dump(), "search"), results);
  CHECK_THAT(table, Contains("best plan: TP") && Contains("TTFT at most 100.0 ms"));
}

TEST_CASE("threads do not change what a search finds") {
  const study::SweepResults one = run(search_of({{"ttft_ms", 100}}), 1);
  const study::SweepResults two = run(search_of({{"ttft_ms", 100}}), 2);
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    CHECK(one.points[i].axis_values == two.points[i].axis_values);
  }
}

TEST_CASE("a level that no rate keeps is infeasible, with the reason") {
  const study::SweepResults results = run(search_of({{"ttft_ms", 0.001}}));
  for (const study::Point& point : results.points) {
    CHECK_FALSE(point.result.feasible);
    CHECK_THAT(point.result.reason, Contains("service level"));
  }
  CHECK_FALSE(study::best_goodput(results.points));
}

TEST_CASE("a level that every rate keeps ends at the search's highest") {
  Json search = search_of({{"ttft_ms", 1e9}});
  search["rate"] = {{"max", 50}};
  for (const study::Point& point : run(search).points) CHECK(rate_of(point) == 50);
}

TEST_CASE("a search that can't be one is refused") {
  const auto refused = [](const std::function<void(Json&)>& change) {
    Json search = search_of({{"ttft_ms", 100}});
    change(search);
    run(search);
  };
  CHECK_THROWS_WITH(refused([](Json& s) { s["objective"] = "max_godput"; }),
                    Contains("did you mean \"max_goodput\"?"));
  CHECK_THROWS_WITH(refused([](Json& s) {
                      s["base"]["workload"]["arrival"] = {{"kind", "burst"}};
                    }),
                    Contains("arrivals with a rate"));
  CHECK_THROWS_WITH(refused([](Json& s) { s["base"]["workload"].erase("slo"); }), Contains("slo"));
  CHECK_THROWS_WITH(refused([](Json& s) {
                      s["rate"] = {{"min", 5}, {"max", 4}};
                    }),
                    Contains("/rate") && Contains("max is not above min"));
  CHECK_THROWS_WITH(refused([](Json& s) { s["objectiv"] = 1; }), Contains("objectiv"));
}
