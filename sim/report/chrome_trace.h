#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/time.h"

namespace tradewind::report {

/// One horizontal lane of a trace: a thread of a process, as Perfetto groups them.
struct TraceLane {
  int process = 0;
  std::string process_name;
  std::string name;
};

/// One slice of a lane. Slices of one lane must not overlap: Perfetto moves those that do elsewhere.
struct TraceSlice {
  std::uint32_t lane = 0;
  std::string_view name;
  std::string_view category;
  Time start, duration;
};

/// A Chrome trace (the JSON object form; perfetto docs, "other formats"): complete events with
/// times in microseconds, to the picosecond, lanes named and ordered as given.
std::string chrome_trace(const std::vector<TraceLane>& lanes, const std::vector<TraceSlice>& slices);

}  // namespace tradewind::report
