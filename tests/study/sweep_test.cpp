#include "sim/study/sweep.h"

#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/scenario/reader.h"
#include "sim/study/sweep_grid.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;

namespace {

const char* const kBase = R"({"model": "llama-3.1-8b", "cluster": "mi325x-8", "runtime": "ideal",
  "workload": {"kind": "static_batch", "batch": 1, "input_tokens": 8, "output_tokens": 2}})";

study::Sweep sweep_of(const std::string& rest) {
  return study::read_sweep(std::string("{\"base\": ") + kBase + ", " + rest + "}", "s.json");
}

std::vector<study::PointPlan> points_of(const std::string& rest, study::Shard shard = {}) {
  return study::expand(sweep_of(rest), testing::catalogue(), shard);
}

}  // namespace

TEST_CASE("axes span their product in the order written, the last one fastest") {
  // Written out of alphabetical order on purpose.
  const auto points = points_of(R"("axes": {"workload.batch": [1, 2], "plan.tp": [4, 8]})");
  REQUIRE(points.size() == 4);
  CHECK(points[0].axis_values == std::vector<std::string>{"1", "4"});
  CHECK(points[1].axis_values == std::vector<std::string>{"1", "8"});
  CHECK(points[2].axis_values == std::vector<std::string>{"2", "4"});
  CHECK(points[3].scenario.plan.tp == 8);
}

TEST_CASE("devices keeps the points that use exactly so many, fill makes them") {
  SECTION("without fill") {
    const auto points =
        points_of(R"("axes": {"plan.tp": [1, 2, 4], "plan.pp": [1, 2]}, "devices": 4)");
    REQUIRE(points.size() == 2);
    CHECK(points[0].axis_values == std::vector<std::string>{"2", "2"});
    CHECK(points[1].axis_values == std::vector<std::string>{"4", "1"});
  }
  SECTION("with fill, its degree is a column of its own") {
    const std::string rest = R"("axes": {"plan.tp": [1, 2, 3]}, "devices": 8, "fill": "plan.dp")";
    CHECK(study::axis_paths(sweep_of(rest)) == std::vector<std::string>{"plan.tp", "plan.dp"});
    const auto points = points_of(rest);
    REQUIRE(points.size() == 2);  // 3 does not divide 8
    CHECK(points[0].axis_values == std::vector<std::string>{"1", "8"});
    CHECK(points[1].scenario.plan.dp == 4);
  }
}

TEST_CASE("shards are disjoint and complete") {
  const std::string axes = R"("axes": {"workload.batch": [1, 2, 3, 4, 5, 6, 7]})";
  std::vector<std::string> all;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const auto& point : points_of(axes, {i, 3})) all.push_back(point.axis_values[0]);
  }
  std::sort(all.begin(), all.end());
  CHECK(all == std::vector<std::string>{"1", "2", "3", "4", "5", "6", "7"});
}

TEST_CASE("a mistake in an axis names the point and the place") {
  CHECK_THROWS_WITH(points_of(R"("axes": {"plan.tp": [1, -2]})"),
                    Contains("plan.tp=-2") && Contains("/plan/tp") && Contains("found -2"));
  CHECK_THROWS_WITH(points_of(R"("axes": {"plan.tpp": [1]})"), Contains("did you mean \"tp\"?"));
  CHECK_THROWS_WITH(points_of(R"("axes": {"plan.tp": []})"), Contains("/axes/plan.tp"));
  CHECK_THROWS_WITH(sweep_of(R"("axes": {"plan.tp": [1]}, "fill": "plan.dp")"),
                    Contains("needs \"devices\""));
}

TEST_CASE("a grid beyond reason is refused, not begun") {
  std::string values = "0";
  for (int i = 1; i < 400; ++i) values += "," + std::to_string(i);
  CHECK_THROWS_WITH(
      sweep_of("\"axes\": {\"plan.tp\": [" + values + "], \"plan.pp\": [" + values + "]}"),
      Contains("more than 50000 points"));
}

TEST_CASE("results do not depend on the number of threads") {
  const study::Sweep sweep =
      sweep_of(R"("axes": {"plan.tp": [1, 2, 4, 8, 16], "workload.batch": [1, 2, 300]})");
  const auto run = [&](int jobs) {
    study::SweepOptions options;
    options.jobs = jobs;
    return study::run_sweep(sweep, testing::catalogue(), options);
  };
  const study::SweepResults one = run(1), two = run(2);
  REQUIRE(one.points.size() == 15);
  REQUIRE(two.points.size() == 15);
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    CHECK(one.points[i].axis_values == two.points[i].axis_values);
    CHECK(one.points[i].result.reason == two.points[i].result.reason);
    for (const workload::MetricField& field : workload::metric_fields()) {
      CHECK(one.points[i].result.metrics.*field.member ==
            two.points[i].result.metrics.*field.member);
    }
  }
  CHECK_FALSE(one.points.back().result.feasible);  // tp 16 on eight devices
}
