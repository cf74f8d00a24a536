#include "sim/report/run_timeline.h"

#include <fmt/format.h>

#include "sim/report/chrome_trace.h"
#include "sim/workload/unfolded.h"

namespace tradewind::report {
namespace {

using StreamKind = lowering::UnfoldedGraph::StreamKind;

std::string_view lane_name(StreamKind kind) {
  switch (kind) {
    case StreamKind::compute: return "compute";
    case StreamKind::communication: return "communication";
    case StreamKind::launch: return "kernel launches";
    case StreamKind::host: return "runtime";
    default: return "token return";
  }
}

workload::UnfoldedRun unfolded_run(const scenario::Scenario& scenario, bool all_steps) {
  const workload::RunContext context(scenario);
  if (const auto* batch = std::get_if<scenario::StaticBatch>(&scenario.workload)) {
    const int steps = batch->output_tokens - 1;
    return workload::run_unfolded(context, *batch,
                                  all_steps ? steps : std::min(steps, kTimelineDecodeSteps));
  }
  return workload::run_unfolded(context, std::get<scenario::Block>(scenario.workload));
}

}  // namespace

std::string run_timeline(const scenario::Scenario& scenario, bool all_steps) {
  const workload::UnfoldedRun run = unfolded_run(scenario, all_steps);
  const graph::TaskGraph& graph = run.unfolded.graph;
  constexpr std::uint32_t kUnused = ~0u;
  std::vector<std::uint32_t> lane_of(graph.stream_count(), kUnused);
  std::vector<TraceLane> lanes;
  std::vector<TraceSlice> slices;
  for (graph::TaskId task = 0; task < graph.task_count(); ++task) {
    const Time start = run.timeline.start[task];
    const Time duration = run.timeline.finish[task] - start;
    if (duration.ps == 0) continue;
    std::uint32_t& lane = lane_of[graph.stream(task)];
    if (lane == kUnused) {
      const auto& stream = run.unfolded.streams[graph.stream(task)];
      lane = static_cast<std::uint32_t>(lanes.size());
      lanes.push_back({stream.device, fmt::format("device {}", stream.device),
                       std::string(lane_name(stream.kind))});
    }
    const auto phase = static_cast<lowering::Phase>(run.unfolded.phase_of_task[task]);
    slices.push_back({lane, lowering::task_name(graph.label(task)), to_string(phase), start,
                      duration});
  }
  return chrome_trace(lanes, slices);
}

}  // namespace tradewind::report
