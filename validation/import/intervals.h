#pragma once

#include <cstdint>
#include <vector>

namespace tradewind::validation {

/// From begin to end, end not included, in nanoseconds.
struct Interval {
  std::int64_t begin = 0, end = 0;
};

/// The moments that any of them covers, as intervals in order that neither meet nor overlap.
std::vector<Interval> union_of(std::vector<Interval> intervals);

/// The sum of their lengths: the time covered, if it is a union.
std::int64_t length_of(const std::vector<Interval>& intervals);

/// Moments in both; each is a union.
std::int64_t overlap_of(const std::vector<Interval>& a, const std::vector<Interval>& b);

}  // namespace tradewind::validation
