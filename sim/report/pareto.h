#pragma once

#include <cstddef>
#include <vector>

#include "sim/study/sweep.h"

namespace tradewind::report {

/// Feasible points that no other one beats in tokens/s/device and tokens/s/user at once (is better
/// in one and not worse in the other), by rising tokens/s/user. Of equal points the first in grid
/// order stands for all. Costs n log n.
std::vector<std::size_t> pareto_front(const std::vector<study::Point>& points);

}  // namespace tradewind::report
