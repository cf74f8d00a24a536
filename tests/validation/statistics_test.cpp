#include "validation/statistics.h"

#include "tests/catch.h"

using namespace tradewind::validation;

TEST_CASE("quantiles are linear between neighbours, as NumPy's default") {
  // Position q (n - 1) of the sorted 1, 2, 4, 8: 1.5 -> 2 + 0.5 * 2; 2.7 -> 4 + 0.7 * 4.
  CHECK(median({8, 1, 4, 2}) == Approx(3.0));
  CHECK(quantile({8, 1, 4, 2}, 0.9) == Approx(6.8));
  CHECK(quantile({8, 1, 4, 2}, 0) == 1);
  CHECK(quantile({8, 1, 4, 2}, 1) == 8);
  CHECK(quantile({5}, 0.9) == 5);
}

TEST_CASE("rank correlation is 1 for the same order, -1 for the opposite, whatever the distances") {
  const std::vector<double> a = {1, 2, 3, 4}, rising = {1, 10, 11, 1000}, falling = {9, 3, 2, -5};
  CHECK(*spearman(a, rising) == Approx(1));
  CHECK(*spearman(a, falling) == Approx(-1));
}

TEST_CASE("rank correlation without ties is 1 - 6 sum d^2 / (n (n^2 - 1))") {
  // Ranks differ by 1, -1, 0, 1, -1: 1 - 6 * 4 / (5 * 24) = 0.8.
  const std::vector<double> a = {1, 2, 3, 4, 5}, b = {20, 10, 30, 50, 40};
  CHECK(*spearman(a, b) == Approx(0.8));
}

TEST_CASE("equal values share their mean rank") {
  // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5.
  const std::vector<double> a = {1, 2, 2, 3}, b = {1, 2, 3, 4};
  CHECK(*spearman(a, b) == Approx(4.5 / std::sqrt(4.5 * 5)));
}

TEST_CASE("rank correlation needs two pairs and some variation") {
  const std::vector<double> one = {1}, flat = {2, 2, 2}, rising = {1, 2, 3};
  CHECK_FALSE(spearman(one, one).has_value());
  CHECK_FALSE(spearman(flat, rising).has_value());
}
