#include "validation/trace_validation.h"

#include "sim/workload/run.h"
#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::validation;

namespace {

/// Batches 1, 2, 4 of an 8B model; 2,000,000 sequences fit on no device.
std::vector<TracePoint> points(const std::vector<int>& batches) {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  std::string text = R"({"points": [)";
  for (const int batch : batches) {
    if (text.back() == '}') text += ",";
    text += R"({"id": "b)" + std::to_string(batch) + R"(", "measured": {"ttft_ms": 3}, "scenario":
        {"model": "llama-3.1-8b", "cluster": "h100-8", "workload": {"kind": "static_batch",
         "input_tokens": 64, "output_tokens": 8, "batch": )" +
            std::to_string(batch) + "}}}";
  }
  return parse_trace(text + "]}", "t.json", false, catalogue).points;
}

}  // namespace

TEST_CASE("a tolerance is the stated one or a quarter, and never under the measurement's spread") {
  CHECK(tolerance_of({"ttft_ms", 1, 0, {}}) == 0.25);
  CHECK(tolerance_of({"ttft_ms", 1, 0, 0.1}) == 0.1);
  CHECK(tolerance_of({"ttft_ms", 1, 0.4, {}}) == 0.4);
  CHECK(tolerance_of({"ttft_ms", 1, 0.4, 0.1}) == 0.4);
}

TEST_CASE("the error is simulated over measured less one") {
  std::vector<TracePoint> all = points({1});
  const auto results = simulate(all);
  // Measured 20 % under what a run of the same scenario says: 1 / 0.8 - 1 = +25 %.
  all[0].measured[0].value = 0.8 * *workload::run(all[0].scenario).metrics.ttft_ms;
  all[0].measured[0].tolerance = 0.24;
  const auto errors = trace_errors(all, results);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].relative_error == Approx(0.25).epsilon(1e-12));  // one division, one product
  CHECK(errors[0].feasible);
  CHECK_FALSE(errors[0].within_tolerance());
}

TEST_CASE("an infeasible point that ran on silicon and a metric without answer count as 100 %") {
  std::vector<TracePoint> all = points({2'000'000, 1});
  all[1].scenario.workload = scenario::StaticBatch{1, 64, 1};
  all[1].measured[0].metric = "tpot_ms";  // there is none for a single token
  const auto errors = trace_errors(all, simulate(all));
  REQUIRE(errors.size() == 2);
  for (const PointError& error : errors) {
    CHECK(error.relative_error == -1);
    CHECK_FALSE(error.simulated.has_value());
    CHECK_FALSE(error.within_tolerance());
  }
  CHECK_FALSE(errors[0].feasible);
  CHECK(errors[1].feasible);
}

TEST_CASE("the number of threads changes nothing") {
  const std::vector<TracePoint> all = points({1, 2, 4, 8, 16, 32});
  const auto alone = simulate(all, 1), together = simulate(all, 2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(alone[i].metrics.ttft_ms == together[i].metrics.ttft_ms);
  }
}
