#include "validation/secant_fit.h"

#include <cmath>

#include "tests/catch.h"

using namespace tradewind::validation;

namespace {

using Values = std::vector<double>;
constexpr std::size_t kParameters = 8, kPoints = 40;

/// How much of parameter j is in the time of point i: all different, none negative.
double share(std::size_t i, std::size_t j) {
  return 1.1 + std::sin(1 + static_cast<double>(i * (j + 1)) + static_cast<double>(j));
}

/// Times that are sums of shares, as those of kernels are in 1 / rate.
double time_of(std::size_t i, std::span<const double> p) {
  double time = 0;
  for (std::size_t j = 0; j < p.size(); ++j) time += share(i, j) * p[j];
  return time;
}

const Values kTruth = {1.3, 0.7, 1.1, 2.2, 0.9, 1.6, 1.0, 0.5};

/// Residual log(time / time with the truth); counts calls where `calls` is given.
FitProblem sums_of_shares(int* calls = nullptr) {
  FitProblem problem;
  problem.parameters.assign(kParameters, {0, 10, 1});
  problem.weights.assign(kPoints, 1);
  problem.residuals = [calls](std::span<const double> p, std::span<double> r) {
    if (calls != nullptr) ++*calls;
    for (std::size_t i = 0; i < kPoints; ++i) r[i] = std::log(time_of(i, p) / time_of(i, kTruth));
  };
  return problem;
}

const std::vector<Values> kFromOnes = {Values(kParameters, 1)};

/// Near the best: the prior and the tolerance keep a few thousandths of the way.
constexpr double kClose = 0.02;

}  // namespace

TEST_CASE("known parameters of sums are found with one set of differences and a few steps") {
  int calls = 0;
  const FitProblem problem = sums_of_shares(&calls);
  const SecantOptions options{.prior = 1e-4, .worth_keeping = 0};
  const SecantFitResult result = secant_fit(problem, kFromOnes, options);
  for (std::size_t j = 0; j < kParameters; ++j) {
    CHECK(result.values[j] == Approx(kTruth[j]).epsilon(kClose));
  }
  CHECK(result.evaluations == calls);
  // The start, a difference a parameter, and about as many steps again; another set of differences
  // each step would be eight more.
  CHECK(calls <= 1 + 8 + 10);

  SECTION("in a fraction of the evaluations that derivatives at each step take") {
    const FitResult full = fit(problem, kFromOnes, {});
    CHECK(10 * result.evaluations < full.evaluations);
  }
}

TEST_CASE("a few wild points do not move it") {
  FitProblem problem = sums_of_shares();
  problem.residuals = [](std::span<const double> p, std::span<double> r) {
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double spoilt = i == 5 ? 8 : i == 17 ? 1.0 / 6 : 1;
      r[i] = std::log(time_of(i, p) / (spoilt * time_of(i, kTruth)));
    }
  };
  const SecantFitResult result = secant_fit(problem, kFromOnes, {});
  // Each pulls with the constant force of the loss, as one that is a robust scale off would.
  for (std::size_t i = 0; i < kPoints; ++i) {
    CHECK(time_of(i, result.values) == Approx(time_of(i, kTruth)).epsilon(0.05));
  }
}

TEST_CASE(
    "a corrected Jacobian serves where the model bends, and is taken anew where it misleads") {
  // Rosenbrock's valley: the derivative of the first residual by x turns by 20 between the start
  // and the minimum at (1, 1).
  FitProblem problem;
  problem.parameters = {{-3, 3, 0}, {-3, 3, 0}};
  problem.weights = {1, 1};
  problem.residuals = [](std::span<const double> p, std::span<double> r) {
    r[0] = 10 * (p[1] - p[0] * p[0]);
    r[1] = 1 - p[0];
  };
  const std::vector<Values> start = {{-1.2, 1}};
  const SecantOptions options{
      .robust_scale = 1e3, .prior = 0, .difference_step = 1e-4, .worth_keeping = 0};
  const SecantFitResult result = secant_fit(problem, start, options);
  CHECK(result.cost < 1e-4);
  CHECK(result.values[0] == Approx(1).epsilon(kClose));
  CHECK(result.values[1] == Approx(1).epsilon(kClose));
}

TEST_CASE("a secant fit ends on a bound, never beyond") {
  FitProblem problem = sums_of_shares();
  problem.parameters[3].upper = 1.5;  // of 2.2
  const SecantFitResult result = secant_fit(problem, kFromOnes, {});
  CHECK(result.values[3] == 1.5);
}

TEST_CASE("the better of several starts is where it begins") {
  // Both ends are valleys; the start at 9 is lower than the one at 1.
  FitProblem problem;
  problem.parameters = {{0, 10, 5}};
  problem.weights = {1, 1};
  problem.residuals = [](std::span<const double> p, std::span<double> r) {
    r[0] = (p[0] - 2) * (p[0] - 8);
    r[1] = 0.05 * (p[0] - 8);
  };
  const std::vector<Values> starts = {{0.5}, {9}};
  CHECK(secant_fit(problem, starts, {}).values[0] == Approx(8).epsilon(kClose));
}

TEST_CASE("a parameter that the others make up for goes back to what was known") {
  // The last two come only as their sum, of which 2.5 is measured and 1 + 1 was known.
  FitProblem problem;
  problem.parameters.assign(3, {0, 10, 1});
  problem.weights.assign(kPoints, 1);
  problem.residuals = [](std::span<const double> p, std::span<double> r) {
    for (std::size_t i = 0; i < kPoints; ++i) {
      r[i] = std::log((share(i, 0) * p[0] + share(i, 1) * (p[1] + p[2])) /
                      (share(i, 0) * 0.6 + share(i, 1) * 2.5)) +
             0.02 * std::sin(static_cast<double>(i * i));  // what no parameter explains
    }
  };
  const std::vector<Values> start = {{1, 1, 1}};
  const SecantFitResult result = secant_fit(problem, start, {});
  CHECK(result.is_kept[0]);
  CHECK(result.is_kept[1] != result.is_kept[2]);
  CHECK(result.values[result.is_kept[1] ? 2 : 1] == 1);
  CHECK(result.values[0] == Approx(0.6).epsilon(0.05));
  CHECK(result.values[1] + result.values[2] == Approx(2.5).epsilon(0.05));
}

TEST_CASE("what no residual knows stays where it was known, at no evaluation") {
  int calls = 0;
  FitProblem problem;
  problem.parameters = {{0, 10, 1}, {0, 10, 4}};
  problem.weights = {1};
  problem.residuals = [&](std::span<const double> p, std::span<double> r) {
    ++calls;
    r[0] = p[0] - 2;
  };
  const std::vector<Values> start = {{1, 4}};
  const SecantFitResult result = secant_fit(problem, start, {});
  CHECK(result.values[1] == 4);
  CHECK_FALSE(result.is_kept[1]);
  CHECK(result.values[0] == Approx(2).epsilon(kClose));
}

TEST_CASE("the same secant fit gives the same bits") {
  const FitProblem problem = sums_of_shares();
  CHECK(secant_fit(problem, kFromOnes, {}).values == secant_fit(problem, kFromOnes, {}).values);
}
