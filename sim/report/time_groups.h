#pragma once

#include <array>
#include <string_view>

#include "sim/workload/result.h"

namespace tradewind::report {

/// What the busiest device does with the makespan; every row of a breakdown is in one group.
enum class TimeGroup { compute, communication, host, pipeline_wait };
inline constexpr std::size_t kTimeGroupCount = 4;
inline constexpr std::array<std::string_view, kTimeGroupCount> kTimeGroupNames = {
    "compute", "exposed communication", "host and launch", "pipeline wait"};

TimeGroup group_of(const workload::BreakdownRow& row);

/// Milliseconds of each group, by index of TimeGroup. They sum to the makespan as the rows do.
std::array<double, kTimeGroupCount> time_groups(const workload::Result& result);

}  // namespace tradewind::report
