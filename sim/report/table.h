#pragma once

#include <string>

#include "sim/study/sweep.h"

namespace tradewind::report {

/// Columns that no line of a table exceeds.
inline constexpr std::size_t kTableWidth = 100;

/// One result for people: what was asked, the metrics with units, the memory of the fullest device,
/// where the time goes, what the times stand on, and how far from the speed of light it is.
std::string result_table(const scenario::Scenario& scenario, const workload::Result& result);

/// The end of a sweep for people: the best points for latency, for throughput and in between, and
/// why points are infeasible.
std::string sweep_table(const study::SweepResults& results);

}  // namespace tradewind::report
