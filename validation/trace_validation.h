#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/workload/result.h"
#include "validation/error_table.h"
#include "validation/trace.h"

namespace tradewind::validation {

/// Relative error that a point is granted when neither it nor its trace states a tolerance.
inline constexpr double kDefaultTolerance = 0.25;

/// The largest |relative error| that still counts as agreement: the stated tolerance (of the
/// point, else of its trace, else kDefaultTolerance), or the measurement's own spread where that is
/// wider: nobody can be asked to be closer to a figure than it is to itself.
double tolerance_of(const Measurement& measurement);

/// Every point to the end, on `jobs` threads (0 = all cores); results in the order of the points,
/// the same for any number of threads.
std::vector<workload::Result> simulate(std::span<const TracePoint> points, int jobs = 0);

/// The result's metric of that name, or nothing where it is infeasible or does not apply.
std::optional<double> answer_of(const workload::Result& result, const std::string& metric);

/// Errors of each point's metrics, in order. A point that is called infeasible counts as 100 %,
/// since it ran on silicon; so does a metric without an answer.
std::vector<PointError> trace_errors(std::span<const TracePoint> points,
                                     std::span<const workload::Result> results);

}  // namespace tradewind::validation
