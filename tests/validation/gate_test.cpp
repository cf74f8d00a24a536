#include "validation/gate.h"

#include "sim/core/error.h"
#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::validation;
using Catch::Matchers::Contains;

namespace {

/// Points of one group measured at 100 ms, with a tolerance of 10 %.
Validation validation_of(const std::vector<std::optional<double>>& simulated) {
  Validation validation;
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    validation.errors.push_back(
        point_error("p" + std::to_string(i), "g", "check", "ttft_ms", 100, simulated[i]));
    validation.errors.back().tolerance = 0.1;
  }
  validation.groups = group_errors(validation.errors);
  return validation;
}

Gate gate_of(const std::vector<std::optional<double>>& before, const Validation& now) {
  const std::string text = baseline_text(make_baseline(validation_of(before)));
  return compare_with_baseline(now, read_baseline(text, "b.json"), "b.json");
}

}  // namespace

TEST_CASE("a baseline reads back as it was written") {
  const Validation validation = validation_of({105, 120, std::nullopt});
  const Baseline baseline = read_baseline(baseline_text(make_baseline(validation)), "b.json");
  REQUIRE(baseline.points.size() == 3);
  CHECK(baseline.points[0].simulated == 105);
  CHECK(baseline.points[0].within);
  CHECK_FALSE(baseline.points[1].within);
  CHECK_FALSE(baseline.points[2].simulated.has_value());
  REQUIRE(baseline.groups.size() == 1);
  // (5 + 20 + 100) / 3 %, in the six digits that are kept.
  CHECK(baseline.groups[0].mape == Approx(1.25 / 3).epsilon(1e-5));
}

TEST_CASE("a verdict edited by hand is found out") {
  std::string text = baseline_text(make_baseline(validation_of({120})));
  const std::size_t verdict = text.find("\"within\":false");
  REQUIRE(verdict != std::string::npos);
  text.replace(verdict, 14, "\"within\":true");
  CHECK_THROWS_WITH(read_baseline(text, "b.json"), Contains("b.json: /checksum"));
}

TEST_CASE("nothing changed passes and says nothing more") {
  const Validation now = validation_of({105, 120});
  CHECK(gate_text(gate_of({105, 120}, now)) == "against the baseline: passed\n");
}

TEST_CASE("a point that leaves its tolerance fails, whatever the rest gains") {
  const Validation now = validation_of({111, 100});
  const Gate gate = gate_of({109, 150}, now);
  CHECK_FALSE(gate.passed());
  CHECK_THAT(gate_text(gate), Contains("p0 ttft_ms: error +9.0 % -> +11.0 %, granted 10 %"));
  CHECK_THAT(gate_text(gate), Contains("1 figures came into their tolerance"));
}

TEST_CASE("a group fails when its MAPE grows by more than half a point and a twentieth of itself") {
  // Errors of 4 % may grow by 0.5 + 0.05 x 4 = 0.7 points.
  const Validation within = validation_of({104.69, 95.31}), beyond = validation_of({104.71, 95.29});
  CHECK(gate_of({104, 96}, within).passed());
  const Gate gate = gate_of({104, 96}, beyond);
  CHECK_FALSE(gate.passed());
  CHECK_THAT(gate_text(gate), Contains("g ttft_ms check: MAPE 4.0 -> 4.7 % (noise 0.7)"));
}

TEST_CASE("getting better passes and is reported") {
  const Validation now = validation_of({101, 101});
  const Gate gate = gate_of({108, 130}, now);
  CHECK(gate.passed());
  CHECK_THAT(gate_text(gate), Contains("groups better by more than noise"));
}

TEST_CASE("a point that becomes infeasible fails") {
  const Validation now = validation_of({std::nullopt});
  CHECK_FALSE(gate_of({105}, now).passed());
}

TEST_CASE("points new to the baseline decide nothing") {
  const Validation now = validation_of({105, 400});
  const Gate gate = gate_of({105}, now);
  CHECK(gate.passed());
  CHECK(gate.new_points == 1);
}

TEST_CASE("a stale baseline is an error that names the point") {
  const Validation fewer = validation_of({105});
  CHECK_THROWS_WITH(gate_of({105, 100}, fewer), Contains("/points/1") && Contains("\"p1\""));
  Validation anew = validation_of({105});
  anew.errors[0].measured = 90;
  CHECK_THROWS_WITH(gate_of({105}, anew), Contains("measured anew"));
}
