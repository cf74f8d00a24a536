#include "validation/error_table.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"

using namespace tradewind::validation;

TEST_CASE("a point's relative error is simulated over measured minus one") {
  CHECK(point_error("p", "g", "fit", "ttft_ms", 200, 250).relative_error == Approx(0.25));
  CHECK(point_error("p", "g", "fit", "ttft_ms", 200, 150).relative_error == Approx(-0.25));
}

TEST_CASE("a point without an answer counts as an error of 100 %") {
  const PointError point = point_error("p", "g", "fit", "ttft_ms", 200, std::nullopt);
  CHECK(point.relative_error == -1);
  CHECK_FALSE(point.feasible);
}

TEST_CASE("groups are kept apart by name, metric and split, and sorted") {
  const std::vector<PointError> points = {
      point_error("1", "b", "fit", "x", 1, 1), point_error("2", "a", "fit", "x", 1, 1),
      point_error("3", "a", "check", "x", 1, 1), point_error("4", "a", "check", "w", 1, 1)};
  const auto groups = group_errors(points);
  REQUIRE(groups.size() == 4);
  CHECK(groups[0].metric == "w");
  CHECK(groups[1].split == "check");
  CHECK(groups[2].split == "fit");
  CHECK(groups[3].group == "b");
}

TEST_CASE("mean, median, bias and 90th percentile of known errors") {
  // Errors +10 %, -20 %, +30 %, none: sizes 0.1, 0.2, 0.3, 1.
  const std::vector<PointError> points = {
      point_error("1", "g", "fit", "x", 10, 11), point_error("2", "g", "fit", "x", 20, 16),
      point_error("3", "g", "fit", "x", 30, 39), point_error("4", "g", "fit", "x", 40, {})};
  const GroupError group = group_errors(points).at(0);
  CHECK(group.points == 4);
  CHECK(group.mape == Approx(0.4));
  CHECK(group.median_ape == Approx(0.25));
  CHECK(group.bias == Approx((0.1 - 0.2) / 2));
  CHECK(group.p90_ape == Approx(0.3 + 0.7 * 0.7));
  CHECK(*group.spearman == Approx(1));
}

TEST_CASE("releases of one configuration are ranked as one, by their geometric mean") {
  const auto point = [](const char* id, const char* configuration, double measured,
                        double simulated) {
    PointError error = point_error(id, "g", "fit", "x", measured, simulated);
    error.configuration = configuration;
    return error;
  };
  // The releases of "small" lie in the opposite order, and its arithmetic mean above "large".
  const std::vector<PointError> points = {point("1", "small", 1, 9), point("2", "small", 9, 1),
                                          point("3", "large", 4, 4)};
  const GroupError group = group_errors(points).at(0);
  CHECK(group.points == 3);
  CHECK(group.configurations == 2);
  CHECK(*group.spearman == Approx(1));  // sqrt(1 x 9) = 3 < 4 on both sides
}

TEST_CASE("one configuration on many releases has no order") {
  std::vector<PointError> points = {point_error("1", "g", "fit", "x", 1, 2),
                                    point_error("2", "g", "fit", "x", 2, 1)};
  for (PointError& point : points) point.configuration = "same";
  const GroupError group = group_errors(points).at(0);
  CHECK(group.configurations == 1);
  CHECK_FALSE(group.spearman.has_value());
}

TEST_CASE("the JSON has the keys of interface.md and null where there is no number") {
  const std::vector<PointError> points = {point_error("f.csv:2", "g", "check", "time_us", 4, {})};
  const auto json = error_json(points, group_errors(points), false);
  CHECK(json.dump() ==
        R"({"points":[{"id":"f.csv:2","group":"g","split":"check","metric":"time_us",)"
        R"("measured":4.0,"simulated":null,"relative_error":-1.0,"feasible":false}],)"
        R"("groups":[{"group":"g","split":"check","metric":"time_us","points":1,"mape":1.0,)"
        R"("median_ape":1.0,"bias":-1.0,"p90_ape":1.0,"configurations":0,"spearman":null}],)"
        R"("passed":false})");
}
