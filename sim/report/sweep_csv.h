#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep.h"

namespace tradewind::report {

/// results.csv (RFC 4180, lines end with LF): axis columns by their dotted names, `feasible`,
/// `reason`, every metric. An axis value that is a string stands without its JSON quotes; numbers
/// read back to the same bits; an empty cell is null.
std::string csv_header(const std::vector<std::string>& axes);

/// The row of one point of a sweep with `axis_count` axes.
void append_csv_row(std::string& text, const study::Point& point, std::size_t axis_count);

/// Header and rows.
std::string sweep_csv(const study::SweepResults& results);

}  // namespace tradewind::report
