#include "sim/report/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include "sim/report/json_text.h"

namespace tradewind::report {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr std::int64_t kPsPerMicrosecond = 1'000'000;

void append_microseconds(std::string& text, Time time) {
  fmt::format_to(std::back_inserter(text), "{}.{:06}", time.ps / kPsPerMicrosecond,
                 time.ps % kPsPerMicrosecond);
}

void append_value(std::string& text, const TraceArgument& argument) {
  if (const auto* word = std::get_if<std::string_view>(&argument.value)) {
    append_json_string(text, *word);
  } else if (const auto* count = std::get_if<std::int64_t>(&argument.value)) {
    text += std::to_string(*count);
  } else {
    append_json_number(text, std::get<double>(argument.value));
  }
}

/// {"ph":"M"} naming a process (thread < 0) or a thread, and the order of its row.
std::string name_event(std::string_view what, int process, int thread, std::string_view name,
                       int order) {
  std::string ids = fmt::format("\"pid\":{}", process);
  if (thread >= 0) ids += fmt::format(",\"tid\":{}", thread);
  std::string text =
      fmt::format("{{\"ph\":\"M\",\"name\":\"{}_name\",{},\"args\":{{\"name\":", what, ids);
  append_json_string(text, name);
  text += fmt::format(
      "}}}},\n{{\"ph\":\"M\",\"name\":\"{}_sort_index\",{},\"args\":{{\"sort_index\":{}}}}}", what,
      ids, order);
  return text;
}

}  // namespace

ChromeTrace::ChromeTrace(std::vector<TraceLane> lanes, std::function<void(std::string_view)> write)
    : lanes_(std::move(lanes)), lane_end_(lanes_.size()), write_(std::move(write)) {
  text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  std::set<int> named;
  for (const TraceLane& lane : lanes_) {
    if (named.insert(lane.process).second) {
      begin_event();
      text_ += name_event("process", lane.process, -1, lane.process_name, lane.process);
    }
    begin_event();
    text_ += name_event("thread", lane.process, lane.thread, lane.thread_name, lane.thread);
  }
}

void ChromeTrace::begin_event() {
  if (!is_first_) text_ += ",\n";
  is_first_ = false;
  if (text_.size() >= kPieceBytes) flush();
}

void ChromeTrace::slice(const TraceSlice& slice) {
  const TraceLane& lane = lanes_.at(slice.lane);
  Time& end = lane_end_[slice.lane];
  if (slice.start < end || slice.duration < Time{}) {
    throw std::logic_error(fmt::format("trace: \"{}\" overlaps the slice before it on {} / {}",
                                       slice.name, lane.process_name, lane.thread_name));
  }
  end = slice.start + slice.duration;
  begin_event();
  fmt::format_to(std::back_inserter(text_),
                 "{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":", lane.process, lane.thread);
  append_microseconds(text_, slice.start);
  text_ += ",\"dur\":";
  append_microseconds(text_, slice.duration);
  text_ += ",\"name\":";
  append_json_string(text_, slice.name);
  text_ += ",\"cat\":";
  append_json_string(text_, slice.category);
  if (!slice.arguments.empty()) text_ += ",\"args\":{";
  for (std::size_t i = 0; i < slice.arguments.size(); ++i) {
    if (i > 0) text_ += ',';
    append_json_string(text_, slice.arguments[i].name);
    text_ += ':';
    append_value(text_, slice.arguments[i]);
  }
  text_ += slice.arguments.empty() ? "}" : "}}";
}

void ChromeTrace::flow(const TraceSlice& from, const TraceSlice& to) {
  // An arrow binds to the slice that holds its moment: the last nanosecond is still inside.
  constexpr Time kInside{1000};
  const std::uint64_t id = flows_++;
  flow_end('s', id, from.lane, std::max(from.start, from.start + from.duration - kInside));
  flow_end('f', id, to.lane, to.start);
}

void ChromeTrace::flow_end(char phase, std::uint64_t id, std::size_t lane, Time at) {
  begin_event();
  fmt::format_to(std::back_inserter(text_),
                 "{{\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},\"name\":\"waits for\","
                 "\"cat\":\"flow\",\"bp\":\"e\",\"ts\":",
                 phase, id, lanes_.at(lane).process, lanes_.at(lane).thread);
  append_microseconds(text_, at);
  text_ += '}';
}

void ChromeTrace::flush() {
  write_(text_);
  text_.clear();
}

void ChromeTrace::finish() {
  text_ += "\n]}\n";
  flush();
}

}  // namespace tradewind::report
