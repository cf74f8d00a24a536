#pragma once

#include <optional>

#include "sim/study/comparison.h"
#include "sim/study/sweep.h"

namespace tradewind::report {

/// The overlaps that a sweep has on its axes, side by side on the plan of the first feasible point
/// that overlaps anything; nothing where the sweep has one strategy only.
std::optional<study::Comparison> swept_overlaps(const study::SweepResults& results);

}  // namespace tradewind::report
