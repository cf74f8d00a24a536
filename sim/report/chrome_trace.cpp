#include "sim/report/chrome_trace.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace tradewind::report {
namespace {

/// Integer picoseconds as microseconds, without going through a double.
std::string microseconds(Time time) {
  return fmt::format("{}.{:06}", time.ps / 1'000'000, time.ps % 1'000'000);
}

std::string json_text(std::string_view text) { return nlohmann::json(std::string(text)).dump(); }

void add_metadata(std::string& text, const TraceLane& lane, std::size_t thread) {
  fmt::format_to(std::back_inserter(text),
                 "{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_name\",\"args\":{{\"name\":{1}}}}},\n"
                 "{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_sort_index\",\"args\":"
                 "{{\"sort_index\":{0}}}}},\n"
                 "{{\"ph\":\"M\",\"pid\":{0},\"tid\":{2},\"name\":\"thread_name\",\"args\":"
                 "{{\"name\":{3}}}}},\n"
                 "{{\"ph\":\"M\",\"pid\":{0},\"tid\":{2},\"name\":\"thread_sort_index\",\"args\":"
                 "{{\"sort_index\":{2}}}}}",
                 lane.process, json_text(lane.process_name), thread, json_text(lane.name));
}

}  // namespace

std::string chrome_trace(const std::vector<TraceLane>& lanes,
                         const std::vector<TraceSlice>& slices) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  text.reserve(text.size() + 300 * lanes.size() + 110 * slices.size());
  bool first = true;
  const auto separate = [&] {
    if (!first) text += ",\n";
    first = false;
  };
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    separate();
    add_metadata(text, lanes[lane], lane);
  }
  for (const TraceSlice& slice : slices) {
    separate();
    fmt::format_to(std::back_inserter(text),
                   "{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"name\":{},\"cat\":{},\"ts\":{},\"dur\":{}}}",
                   lanes[slice.lane].process, slice.lane, json_text(slice.name),
                   json_text(slice.category), microseconds(slice.start),
                   microseconds(slice.duration));
  }
  text += "\n]}\n";
  return text;
}

}  // namespace tradewind::report
