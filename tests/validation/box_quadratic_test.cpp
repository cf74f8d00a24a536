#include "validation/box_quadratic.h"

#include "tests/catch.h"

using namespace tradewind::validation;

namespace {

using Values = std::vector<double>;

/// 1/2 (x - c)'H(x - c) is 1/2 x'Hx + g'x and a constant for g = -Hc.
Values gradient_of_centre(const Values& hessian, const Values& centre) {
  Values gradient(centre.size());
  for (std::size_t i = 0; i < centre.size(); ++i) {
    for (std::size_t j = 0; j < centre.size(); ++j) {
      gradient[i] -= hessian[i * centre.size() + j] * centre[j];
    }
  }
  return gradient;
}

const Values kOblique = {2, 1.8, 1.8, 2};

}  // namespace

TEST_CASE("a minimum within the box is found where the gradient is zero") {
  const Values x = minimise_in_box(kOblique, gradient_of_centre(kOblique, {0.3, -0.4}),
                                   Values{-1, -1}, Values{1, 1});
  CHECK(x[0] == Approx(0.3));
  CHECK(x[1] == Approx(-0.4));
}

TEST_CASE("at a bound the others make up for it, which clamping would not") {
  // With x0 held at 1, d/dx1 = 1.8 (1 - 3) + 2 (x1 + 2) = 0 at x1 = -0.2.
  const Values x = minimise_in_box(kOblique, gradient_of_centre(kOblique, {3, -2}), Values{-5, -5},
                                   Values{1, 5});
  CHECK(x[0] == 1);
  CHECK(x[1] == Approx(-0.2));
}

TEST_CASE("a bound that the way met but the minimum does not need lets go") {
  // From 0 straight to (3, -2) x1 = -0.5 is met first. Held there, x0 wants
  // 3 - 0.9 * 1.5 = 1.65 and meets 1; but with x0 at 1, x1 wants -0.2, inside.
  const Values x = minimise_in_box(kOblique, gradient_of_centre(kOblique, {3, -2}),
                                   Values{-5, -0.5}, Values{1, 5});
  CHECK(x[0] == 1);
  CHECK(x[1] == Approx(-0.2));
}

TEST_CASE("a box without room is its own answer, and zero need not be in it") {
  const Values x =
      minimise_in_box(kOblique, gradient_of_centre(kOblique, {0, 0}), Values{2, 1}, Values{2, 4});
  CHECK(x[0] == 2);
  CHECK(x[1] == 1);
}
