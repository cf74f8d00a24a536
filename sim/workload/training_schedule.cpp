#include "sim/workload/training_schedule.h"

#include <algorithm>
#include <iterator>

namespace tradewind::workload {
namespace {

using lowering::StageOpKind;
using lowering::StepTask;

StepPart part_of(const lowering::StepGraph::Task& task) {
  switch (task.kind) {
    case StepTask::compute:
      break;
    case StepTask::send:
      return task.op.kind == StageOpKind::forward ? StepPart::send_activations
                                                  : StepPart::send_gradients;
    case StepTask::gather:
      return StepPart::gather;
    case StepTask::reduce:
      return StepPart::reduce;
    case StepTask::agreement:
      return StepPart::agreement;
    case StepTask::optimizer:
      return StepPart::optimizer;
  }
  switch (task.op.kind) {
    case StageOpKind::forward:
      return StepPart::forward;
    case StageOpKind::backward:
      return StepPart::backward;
    case StageOpKind::backward_input:
      return StepPart::backward_input;
    default:
      return StepPart::backward_weight;
  }
}

}  // namespace

TrainingSchedule training_schedule(const lowering::StepGraph& graph,
                                   const engine::Timeline& timeline, int chunks, Time step) {
  TrainingSchedule schedule{0, chunks, step, {}};
  // The builder adds what follows the passes last: bulk reductions, each before its agreement.
  const auto agreement =
      std::ranges::find(graph.tasks, StepTask::agreement, &lowering::StepGraph::Task::kind);
  const std::size_t after_passes = static_cast<std::size_t>(agreement - graph.tasks.begin());
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const lowering::StepGraph::Task& task = graph.tasks[t];
    schedule.stages = std::max(schedule.stages, task.device + 1);
    if (timeline.finish[t] == timeline.start[t]) continue;
    schedule.tasks.push_back({part_of(task), t + 1 < after_passes, task.op.micro_batch,
                              task.op.chunk, task.device,
                              static_cast<int>(graph.graph.stream(static_cast<graph::TaskId>(t))),
                              timeline.start[t], timeline.finish[t]});
  }
  std::stable_sort(
      schedule.tasks.begin(), schedule.tasks.end(),
      [](const ScheduledTask& a, const ScheduledTask& b) { return a.start < b.start; });
  return schedule;
}

}  // namespace tradewind::workload
