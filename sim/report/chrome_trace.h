#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/core/time.h"

namespace tradewind::report {

/// A row of the trace viewer: a thread inside a process. Rows stand in the order of their numbers.
struct TraceLane {
  int process = 0;
  int thread = 0;
  std::string process_name;  ///< "device 3"
  std::string thread_name;   ///< "compute"
};

/// What a click on a slice shows.
struct TraceArgument {
  std::string_view name;
  std::variant<std::int64_t, double, std::string_view> value;
};

/// Something that a lane does for a while.
struct TraceSlice {
  std::size_t lane = 0;  ///< index of the lanes
  std::string_view name;
  std::string_view category;
  Time start;
  Time duration;
  std::span<const TraceArgument> arguments;
};

/// Writes the Chrome trace event format (JSON object form), which Perfetto and chrome://tracing
/// open: complete events ("X"), flow arrows ("s", "f"), names of processes and threads. Timestamps
/// are microseconds with six decimals, written from integer picoseconds without rounding.
/// SOURCE: "Trace Event Format", the Chromium project.
class ChromeTrace {
 public:
  /// The text goes to `write` in pieces of about a megabyte.
  ChromeTrace(std::vector<TraceLane> lanes, std::function<void(std::string_view)> write);

  /// REQUIRES: slices of one lane come by rising start and do not overlap (throws
  /// std::logic_error: a viewer would nest one into the other).
  void slice(const TraceSlice& slice);
  /// An arrow from the end of one slice to the begin of another, both already written.
  void flow(const TraceSlice& from, const TraceSlice& to);
  /// Ends the document; nothing may follow.
  void finish();

 private:
  void begin_event();
  void flow_end(char phase, std::uint64_t id, std::size_t lane, Time at);
  void flush();

  std::vector<TraceLane> lanes_;
  std::vector<Time> lane_end_;
  std::function<void(std::string_view)> write_;
  std::string text_;
  std::uint64_t flows_ = 0;
  bool is_first_ = true;
};

}  // namespace tradewind::report
