#include "sim/report/swept_overlaps.h"

#include <algorithm>
#include <vector>

namespace tradewind::report {
namespace {

/// A page draws each of them: as many as one can compare at a glance.
constexpr std::size_t kMostDrawn = 6;

bool same(const scenario::Overlap& a, const scenario::Overlap& b) {
  return a.strategy == b.strategy && a.slices == b.slices && a.on == b.on &&
         a.transport == b.transport && a.order == b.order;
}

}  // namespace

std::optional<study::Comparison> swept_overlaps(const study::SweepResults& results) {
  std::vector<scenario::Overlap> overlaps;
  const study::Point* overlapping = nullptr;
  bool several_strategies = false;
  for (const study::Point& point : results.points) {
    const scenario::Overlap& overlap = point.scenario.plan.overlap;
    const bool known = std::any_of(overlaps.begin(), overlaps.end(),
                                   [&](const scenario::Overlap& o) { return same(o, overlap); });
    if (!known && overlaps.size() < kMostDrawn) overlaps.push_back(overlap);
    several_strategies |= overlap.strategy != overlaps.front().strategy;
    const bool hides = overlap.strategy != "vanilla" && point.scenario.plan.group() > 1;
    if (!overlapping && hides && point.result.feasible) overlapping = &point;
  }
  if (!several_strategies || !overlapping) return std::nullopt;
  return study::compare(overlapping->scenario, overlaps);
}

}  // namespace tradewind::report
