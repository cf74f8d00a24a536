#include "sim/report/run_timeline.h"

#include <fmt/format.h>

#include "sim/core/error.h"
#include "sim/core/overload.h"
#include "sim/report/chrome_trace.h"
#include "sim/workload/unfolded.h"

namespace tradewind::report {
namespace {

using StreamKind = lowering::UnfoldedGraph::StreamKind;

std::string_view lane_name(StreamKind kind) {
  switch (kind) {
    case StreamKind::compute:
      return "compute";
    case StreamKind::communication:
      return "communication";
    case StreamKind::launch:
      return "kernel launches";
    case StreamKind::host:
      return "runtime";
    default:
      return "token return";
  }
}

workload::UnfoldedRun unfolded_run(const scenario::Scenario& scenario, bool all_steps) {
  const workload::RunContext context(scenario);
  return std::visit(
      Overload{[&](const scenario::StaticBatch& batch) {
                 const int steps = batch.output_tokens - 1;
                 return workload::run_unfolded(
                     context, batch, all_steps ? steps : std::min(steps, kTimelineDecodeSteps));
               },
               [&](const scenario::Block& block) { return workload::run_unfolded(context, block); },
               [](const scenario::Training&) -> workload::UnfoldedRun {
                 throw InputError("--timeline", "",
                                  "training has no timeline of kernels: its passes are priced as "
                                  "a whole");
               },
               [](const scenario::Serving&) -> workload::UnfoldedRun {
                 throw InputError("--timeline", "",
                                  "serving has no timeline of kernels: its steps are priced, not "
                                  "simulated one by one");
               }},
      scenario.workload);
}

}  // namespace

std::string run_timeline(const scenario::Scenario& scenario, bool all_steps) {
  const workload::UnfoldedRun run = unfolded_run(scenario, all_steps);
  const graph::TaskGraph& graph = run.unfolded.graph;
  const auto duration = [&](graph::TaskId task) {
    return run.timeline.finish[task] - run.timeline.start[task];
  };
  constexpr std::size_t kUnused = ~std::size_t{0};
  std::vector<std::size_t> lane_of(graph.stream_count(), kUnused);
  std::vector<TraceLane> lanes;
  for (graph::TaskId task = 0; task < graph.task_count(); ++task) {
    std::size_t& lane = lane_of[graph.stream(task)];
    if (lane != kUnused || duration(task).ps == 0) continue;
    const auto& stream = run.unfolded.streams[graph.stream(task)];
    lane = lanes.size();
    lanes.push_back({stream.device, static_cast<int>(lane), fmt::format("device {}", stream.device),
                     std::string(lane_name(stream.kind))});
  }
  std::string text;
  ChromeTrace trace(std::move(lanes), [&](std::string_view piece) { text += piece; });
  for (graph::TaskId task = 0; task < graph.task_count(); ++task) {
    if (duration(task).ps == 0) continue;
    const auto phase = static_cast<lowering::Phase>(run.unfolded.phase_of_task[task]);
    trace.slice({.lane = lane_of[graph.stream(task)],
                 .name = lowering::task_name(graph.label(task)),
                 .category = to_string(phase),
                 .start = run.timeline.start[task],
                 .duration = duration(task),
                 .arguments = {}});
  }
  trace.finish();
  return text;
}

}  // namespace tradewind::report
