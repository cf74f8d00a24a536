#include "validation/import/intervals.h"

#include <algorithm>

namespace tradewind::validation {

std::vector<Interval> union_of(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> merged;
  for (const Interval& one : intervals) {
    if (merged.empty() || one.begin > merged.back().end) {
      merged.push_back(one);
    } else {
      merged.back().end = std::max(merged.back().end, one.end);
    }
  }
  return merged;
}

std::int64_t length_of(const std::vector<Interval>& intervals) {
  std::int64_t length = 0;
  for (const Interval& one : intervals) length += one.end - one.begin;
  return length;
}

std::int64_t overlap_of(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::int64_t overlap = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    overlap += std::max<std::int64_t>(0, std::min(i->end, j->end) - std::max(i->begin, j->begin));
    ++(i->end < j->end ? i : j);
  }
  return overlap;
}

}  // namespace tradewind::validation
