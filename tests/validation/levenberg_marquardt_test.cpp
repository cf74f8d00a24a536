#include "validation/levenberg_marquardt.h"

#include <cmath>

#include "tests/catch.h"

using namespace tradewind::validation;

namespace {

/// Residual log(model / value) at each x, as the calibration has it.
template <class Model>
FitProblem log_problem(std::vector<FitParameter> parameters, std::vector<double> x,
                       std::vector<double> y, Model model) {
  FitProblem problem;
  problem.parameters = std::move(parameters);
  problem.weights.assign(x.size(), 1);
  problem.residuals = [=](std::span<const double> p, std::span<double> r) {
    for (std::size_t i = 0; i < x.size(); ++i) r[i] = std::log(model(p, x[i]) / y[i]);
  };
  return problem;
}

double alpha_beta(std::span<const double> p, double bytes) {
  return p[0] + bytes / (p[1] * 1e11);
}

std::vector<double> sizes() {
  std::vector<double> bytes;
  for (int i = 8; i <= 30; ++i) bytes.push_back(std::ldexp(1, i));
  return bytes;
}

/// The prior pulls a well-determined value by far less than its own weight of 1e-4.
constexpr double kPriorPull = 1e-3;

}  // namespace

TEST_CASE("a line through exact points is found") {
  FitProblem problem;
  problem.parameters = {{-10, 10, 0}, {-10, 10, 0}};
  problem.weights = {1, 1, 1};
  problem.residuals = [](std::span<const double> p, std::span<double> r) {
    for (int i = 0; i < 3; ++i) r[static_cast<std::size_t>(i)] = p[0] + p[1] * i - (3.0 - 2.0 * i);
  };
  const FitResult result = fit(problem, {}, {});
  CHECK(result.values[0] == Approx(3).epsilon(kPriorPull));
  CHECK(result.values[1] == Approx(-2).epsilon(kPriorPull));
}

TEST_CASE("latency and efficiency of an alpha-beta law are recovered from its own points") {
  std::vector<double> y;
  const std::vector<double> truth = {7e-6, 0.62};
  for (const double bytes : sizes()) y.push_back(alpha_beta(truth, bytes));
  const auto problem = log_problem({{0, 1e-3, 2e-6}, {0.01, 1, 0.9}}, sizes(), y, alpha_beta);
  const FitResult result = fit(problem, {}, {});
  CHECK(result.values[0] == Approx(7e-6).epsilon(kPriorPull));
  CHECK(result.values[1] == Approx(0.62).epsilon(kPriorPull));
}

TEST_CASE("an optimum outside the bounds is met at the edge, never beyond") {
  // The points ask for an efficiency of 1.3; at most 1 is physical.
  std::vector<double> y;
  for (const double bytes : sizes()) y.push_back(alpha_beta(std::vector<double>{7e-6, 1.3}, bytes));
  const auto problem = log_problem({{0, 1e-3, 2e-6}, {0.01, 1, 0.9}}, sizes(), y, alpha_beta);
  const FitResult result = fit(problem, {}, {});
  CHECK(result.values[1] <= 1);
  CHECK(result.values[1] > 0.99);
}

TEST_CASE("a few wild points do not move a robust fit") {
  std::vector<double> y;
  for (const double bytes : sizes())
    y.push_back(alpha_beta(std::vector<double>{7e-6, 0.62}, bytes));
  y[3] *= 8;
  y[20] /= 6;
  const auto problem = log_problem({{0, 1e-3, 2e-6}, {0.01, 1, 0.9}}, sizes(), y, alpha_beta);
  const FitResult result = fit(problem, {}, {});
  // Two of 23 points pull with the constant force of the loss: a few percent of the scale 0.1.
  CHECK(result.values[0] == Approx(7e-6).epsilon(0.03));
  CHECK(result.values[1] == Approx(0.62).epsilon(0.03));
}

TEST_CASE("weight 0 takes a point out") {
  FitProblem problem;
  problem.parameters = {{-10, 10, 0}};
  problem.weights = {1, 0};
  problem.residuals = [](std::span<const double> p, std::span<double> r) {
    r[0] = p[0] - 2;
    r[1] = p[0] + 5;
  };
  CHECK(fit(problem, {}, {}).values[0] == Approx(2).epsilon(kPriorPull));
}

TEST_CASE("what the data leave open keeps its textbook value") {
  FitProblem problem;
  problem.parameters = {{0.01, 1, 0.7}, {-10, 10, 0}};
  problem.weights = {1};
  problem.residuals = [](std::span<const double> p, std::span<double> r) { r[0] = p[1] - 2; };
  CHECK(fit(problem, {}, {}).values[0] == Approx(0.7).epsilon(kPriorPull));
}

TEST_CASE("a stepped model is fitted although its derivative says nothing") {
  // Flat over stairs of 0.1, least from 3.0 to 3.1; from 5 the derivative is 0. A search by
  // coordinate steps may stop one stair short, where the next lies between two of its steps.
  FitProblem problem;
  problem.parameters = {{0, 10, 5}};
  problem.weights = {1};
  problem.residuals = [](std::span<const double> p, std::span<double> r) {
    r[0] = std::floor(p[0] * 10) / 10 - 3;
  };
  const double value = fit(problem, {}, {}).values[0];
  CHECK(value >= 3.0);
  CHECK(value < 3.2);
}

TEST_CASE("of two valleys the deeper is found when random starts reach it") {
  // (p - 2)(p - 8) is zero at both; the second residual prefers 8.
  FitProblem problem;
  problem.parameters = {{0, 10, 1.5}};
  problem.weights = {1, 1};
  problem.residuals = [](std::span<const double> p, std::span<double> r) {
    r[0] = (p[0] - 2) * (p[0] - 8);
    r[1] = 0.05 * (p[0] - 8);
  };
  FitOptions options;
  options.random_starts = 10;
  CHECK(fit(problem, {}, options).values[0] == Approx(8).epsilon(kPriorPull));
}

TEST_CASE("the same problem gives the same bits") {
  const auto problem = log_problem({{0, 1e-3, 2e-6}, {0.01, 1, 0.9}}, sizes(), sizes(), alpha_beta);
  FitOptions options;
  options.random_starts = 4;
  CHECK(fit(problem, {}, options).values == fit(problem, {}, options).values);
}
