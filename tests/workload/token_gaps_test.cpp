#include "sim/workload/serving/token_gaps.h"

#include "tests/catch.h"

namespace tradewind::workload {
namespace {

TEST_CASE("Percentiles of token gaps are those of the values, within half a bin") {
  TokenGaps gaps;
  CHECK(gaps.empty());
  for (int i = 0; i <= 1000; ++i) gaps.add(Time::from_seconds(1e-3 * (10 + i)));
  for (const double share : {0.0, 0.5, 0.9, 0.99, 1.0}) {
    CHECK(gaps.percentile_ms(share) == Approx(10 + 1000 * share).epsilon(5e-4));
  }
}

TEST_CASE("Gaps of picoseconds and of days have bins too") {
  for (const std::int64_t ps : {std::int64_t{1}, std::int64_t{12345}, std::int64_t{1} << 62}) {
    TokenGaps gaps;
    gaps.add(Time{ps});
    CHECK(gaps.percentile_ms(0.5) == Approx(1e-9 * static_cast<double>(ps)).epsilon(5e-4));
  }
}

}  // namespace
}  // namespace tradewind::workload
