#include "sim/report/training_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "sim/report/chrome_trace.h"

namespace tradewind::report {
namespace {

using workload::ScheduledTask;
using workload::StepPart;

/// Rows of a stage, from the top.
enum class Row { compute, sends_on, sends_back, data_parallel };
constexpr std::array<std::string_view, 4> kRowNames = {
    "compute", "activations to the next stage", "gradients to the stage before", "data parallel"};

/// Of a stream: computation may share its stream with transfers that block it.
std::map<int, Row> rows_of_streams(const workload::TrainingSchedule& schedule) {
  std::map<int, Row> rows;
  for (const ScheduledTask& task : schedule.tasks) {
    Row row = Row::compute;
    if (task.part == StepPart::gather || task.part == StepPart::reduce) row = Row::data_parallel;
    if (task.part == StepPart::send_activations) row = Row::sends_on;
    if (task.part == StepPart::send_gradients) row = Row::sends_back;
    const auto [known, is_new] = rows.emplace(task.stream, row);
    if (!is_new) known->second = std::min(known->second, row);
  }
  return rows;
}

std::string name_of(const ScheduledTask& task) {
  if (!task.has_micro_batch) return std::string(to_string(task.part));
  return fmt::format("{} {}", to_string(task.part), task.micro_batch);
}

}  // namespace

std::string training_timeline(const workload::TrainingSchedule& schedule) {
  std::vector<TraceLane> lanes;
  std::map<int, std::size_t> lane_of;
  std::map<int, int> stage_of;
  for (const ScheduledTask& task : schedule.tasks) stage_of[task.stream] = task.stage;
  for (const auto& [stream, row] : rows_of_streams(schedule)) {
    const int stage = stage_of[stream];
    lane_of[stream] = lanes.size();
    lanes.push_back({stage, static_cast<int>(lanes.size()), fmt::format("stage {}", stage),
                     std::string(kRowNames[static_cast<std::size_t>(row)])});
  }
  std::string text;
  ChromeTrace trace(std::move(lanes), [&](std::string_view piece) { text += piece; });
  for (const ScheduledTask& task : schedule.tasks) {
    const std::string name = name_of(task);
    const std::array<TraceArgument, 2> arguments = {
        {{"micro-batch", std::int64_t{task.micro_batch}}, {"chunk", std::int64_t{task.chunk}}}};
    const std::size_t known = task.has_micro_batch ? arguments.size() : 0;
    trace.slice({.lane = lane_of[task.stream],
                 .name = name,
                 .category = to_string(task.part),
                 .start = task.start,
                 .duration = task.finish - task.start,
                 .arguments = std::span(arguments).first(known)});
  }
  trace.finish();
  return text;
}

}  // namespace tradewind::report
