#include "tests/lowering/schedule_simulation.h"

#include <algorithm>

#include "sim/engine/engine.h"

namespace tradewind::lowering {
namespace {

Pieces piece(double ps) {
  return {{Time{static_cast<std::int64_t>(ps)}, {}, {}}};
}

}  // namespace

ScheduleRun run_schedule(const Schedule& schedule, const ScheduleShape& shape,
                         const ChunkTimes& times, Sends sends) {
  StepWork work;
  work.sends = sends;
  const Time transfer{static_cast<std::int64_t>(times.transfer)};
  work.chunks.assign(static_cast<std::size_t>(schedule.chunks(shape)),
                     {piece(times.forward), piece(times.backward_input + times.backward_weight),
                      piece(times.backward_input), piece(times.backward_weight)});
  work.handover.near = transfer;
  work.handover.node_of.assign(static_cast<std::size_t>(shape.stages), 0);
  const StepGraph step = build_step_graph(schedule.programs(shape), work);
  const engine::Timeline timeline = engine::simulate(step.graph);
  ScheduleRun run{timeline.makespan, {}, std::vector<Time>(static_cast<std::size_t>(shape.stages))};
  std::vector<Time> first(run.busy.size(), Time::max()), last(run.busy.size());
  for (std::size_t t = 0; t < step.tasks.size(); ++t) {
    if (step.tasks[t].kind != StepTask::compute) continue;
    const std::size_t d = static_cast<std::size_t>(step.tasks[t].device);
    run.busy[d] += timeline.finish[t] - timeline.start[t];
    first[d] = std::min(first[d], timeline.start[t]);
    last[d] = std::max(last[d], timeline.finish[t]);
  }
  for (std::size_t d = 0; d < first.size(); ++d) {
    run.longest_span = std::max(run.longest_span, last[d] - first[d]);
  }
  return run;
}

}  // namespace tradewind::lowering
