#include "sim/report/pareto.h"

#include <algorithm>
#include <random>

#include "sim/report/ranking.h"
#include "tests/catch.h"

namespace {

using namespace tradewind;

study::Point point(double per_device, double per_user, bool feasible = true) {
  study::Point made;
  made.result.feasible = feasible;
  made.result.metrics.output_tokens_per_s_per_device = per_device;
  made.result.metrics.output_tokens_per_s_per_user = per_user;
  made.result.metrics.tpot_ms = 1e3 / per_user;
  return made;
}

/// The definition: not dominated by any point, nor equal to an earlier one.
std::vector<std::size_t> by_definition(const std::vector<study::Point>& points) {
  const auto rates = [&](std::size_t i) {
    return std::pair(*points[i].result.metrics.output_tokens_per_s_per_device,
                     *points[i].result.metrics.output_tokens_per_s_per_user);
  };
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool stands = points[i].result.feasible;
    for (std::size_t k = 0; k < points.size() && stands; ++k) {
      if (k == i || !points[k].result.feasible) continue;
      const auto [device, user] = rates(i);
      const auto [other_device, other_user] = rates(k);
      const bool equal = device == other_device && user == other_user;
      if (equal ? k < i : (other_device >= device && other_user >= user)) stands = false;
    }
    if (stands) front.push_back(i);
  }
  std::sort(front.begin(), front.end(),
            [&](std::size_t a, std::size_t b) { return rates(a).second < rates(b).second; });
  return front;
}

}  // namespace

TEST_CASE("the Pareto front is what its definition says, ties and infeasible points included") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<study::Point> points;
    // Few distinct values, so that equal points and equal coordinates are common.
    std::uniform_int_distribution<int> value(1, 6), coin(0, 4);
    for (int i = 0; i < 20; ++i)
      points.push_back(point(value(random), value(random), coin(random) > 0));
    CHECK(report::pareto_front(points) == by_definition(points));
  }
}

TEST_CASE("points without the two rates are on no front") {
  std::vector<study::Point> points = {point(1, 1), study::Point{}};
  CHECK(report::pareto_front(points) == std::vector<std::size_t>{0});
  CHECK(report::pareto_front({}).empty());
}

TEST_CASE("each goal ranks by its own measure and leaves infeasible points out") {
  const std::vector<study::Point> points = {point(100, 10), point(10, 100), point(60, 60),
                                            point(1000, 1000, false)};
  CHECK(report::ranked(points, report::Goal::throughput) == std::vector<std::size_t>{0, 2, 1});
  CHECK(report::ranked(points, report::Goal::latency) == std::vector<std::size_t>{1, 2, 0});
  CHECK(report::ranked(points, report::Goal::between).front() == 2);
}
