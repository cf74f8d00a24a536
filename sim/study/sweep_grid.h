#pragma once

#include "sim/study/sweep.h"

namespace tradewind::study {

/// The axes' paths in order, and the filled degree's behind them.
std::vector<std::string> axis_paths(const Sweep& sweep);

/// The points of the grid in order, read as scenarios; those that can't use exactly `devices` are
/// left out. Throws InputError naming the point whose values can't be read.
std::vector<PointPlan> expand(const Sweep& sweep, scenario::Catalogue& catalogue, Shard shard);

}  // namespace tradewind::study
