#pragma once

#include <string>

#include "sim/study/sweep.h"

namespace tradewind::report {

/// What the scripts of report.html draw, as one JSON object that may stand in an HTML <script>
/// (no "<" in it):
///
/// - `name`; `families`: labels of the curves; `reasons`: why points are infeasible;
/// - `x`: what a curve runs over ("batch", or another axis of numbers; null: nothing varies);
/// - `dimensions`: [{ `label`, `values` (text) }], what a table can be laid out by;
/// - `points`: equally long arrays, one element a point: `family`, `reason` (index or -1),
///   `feasible`, `x`, `dimensions` (an array of arrays of indices), metrics, milliseconds of each
///   time group, gigabytes of memory;
/// - `groups`: names of the time groups; `front`: indices of the Pareto front.
///
/// Numbers have five significant digits: results.csv has them all.
std::string page_data(const study::SweepResults& results);

}  // namespace tradewind::report
