#include "sim/workload/training.h"

#include <algorithm>
#include <numeric>

#include "sim/engine/engine.h"
#include "sim/scenario/training_feasibility.h"
#include "sim/workload/breakdown.h"
#include "sim/workload/training_flops.h"
#include "sim/workload/training_memory.h"
#include "sim/workload/training_schedule.h"
#include "sim/workload/training_times.h"

namespace tradewind::workload {
namespace {

using lowering::StageOpKind;
using lowering::StageProgram;
using lowering::StepTask;
using scenario::Scenario;

/// A step through the engine.
struct Step {
  Time time;               ///< from one step's start to the next one's
  std::vector<Time> busy;  ///< by device, with work of its own
  Time data_parallel;      ///< in flight on the busiest device
  std::size_t busiest = 0;
  std::uint64_t events = 0;
};

/// Leaves the tasks in `kept`, if given.
Step simulate(const std::vector<StageProgram>& programs, const lowering::StepWork& work,
              const lowering::Unfolding& unfolding = {},
              std::shared_ptr<const TrainingSchedule>* kept = nullptr) {
  const lowering::StepGraph graph = lowering::build_step_graph(programs, work, unfolding);
  const engine::Timeline timeline = engine::simulate(graph.graph);
  const std::size_t devices = programs.size() * static_cast<std::size_t>(unfolding.replicas);
  Step step{timeline.makespan, std::vector<Time>(devices), {}, 0, timeline.events};
  std::vector<Time> data(devices), first(devices, Time::max()), last(devices);
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const auto& task = graph.tasks[t];
    const std::size_t d = static_cast<std::size_t>(task.device);
    const Time taken = timeline.finish[t] - timeline.start[t];
    if (task.kind == StepTask::compute || task.kind == StepTask::optimizer) step.busy[d] += taken;
    if (task.kind == StepTask::gather || task.kind == StepTask::reduce) data[d] += taken;
    first[d] = std::min(first[d], timeline.start[t]);
    last[d] = std::max(last[d], timeline.finish[t]);
  }
  if (work.stages_end_alone) {
    // A stage goes on with the next step when its own is through.
    step.time = {};
    for (std::size_t d = 0; d < devices; ++d) step.time = std::max(step.time, last[d] - first[d]);
  }
  step.busiest = static_cast<std::size_t>(std::max_element(step.busy.begin(), step.busy.end()) -
                                          step.busy.begin());
  step.data_parallel = data[step.busiest];
  if (kept) {
    *kept = std::make_shared<const TrainingSchedule>(
        training_schedule(graph, timeline, static_cast<int>(work.chunks.size()), step.time));
  }
  return step;
}

void add_part(Breakdown& breakdown, const RunContext& context, const lowering::TrainingPart& part,
              std::int64_t times, bool splits) {
  const lowering::LaunchCost& launch = context.launch_of(lowering::Phase::prefill);
  breakdown.add("forward", part.forward, times, launch, context.regions);
  if (!splits) {
    breakdown.add("backward", part.backward, times, launch, context.regions);
    return;
  }
  breakdown.add("backward", part.backward_input, times, launch, context.regions);
  breakdown.add("backward", part.backward_weight, times, launch, context.regions);
}

/// How often the device runs each of its chunks, kernel kind by kernel kind.
Breakdown break_down(const RunContext& context, const TrainingTimes& times,
                     const std::vector<Chunk>& chunks, const StageProgram& program) {
  Breakdown breakdown;
  const lowering::TrainingKernels& kernels = times.kernels();
  const bool splits = std::any_of(program.begin(), program.end(), [](const lowering::StageOp& op) {
    return op.kind == StageOpKind::backward_input;
  });
  std::vector<std::int64_t> passes(chunks.size());
  for (const lowering::StageOp& op : program) {
    if (op.kind == StageOpKind::forward) ++passes[static_cast<std::size_t>(op.chunk)];
  }
  const lowering::LaunchCost& launch = context.launch_of(lowering::Phase::prefill);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const lowering::StageLayout& layout = chunks[c].layout;
    if (passes[c] == 0) continue;
    const Time host = times.host_of_forward();
    if (host > Time{}) {
      breakdown.add_other("forward", "micro_batch", passes[c], host * passes[c],
                          kernels::Bound::host);
    }
    if (layout.first) add_part(breakdown, context, kernels.embedding, passes[c], splits);
    if (!layout.first) {
      breakdown.add("forward", kernels.take_over, 2 * passes[c], launch, context.regions);
    }
    int to_recompute = chunks[c].recomputed_layers;
    for (const auto& run : layout.runs) {
      const int whole = std::min(to_recompute, run.layers);
      add_part(breakdown, context, times.recomputing_kernels().layer[run.layer_class],
               passes[c] * whole, splits);
      add_part(breakdown, context, kernels.layer[run.layer_class], passes[c] * (run.layers - whole),
               splits);
      to_recompute -= whole;
    }
    if (layout.last) add_part(breakdown, context, kernels.head, passes[c], splits);
  }
  return breakdown;
}

double exposed_ms(const Step& step, const TrainingTimes& times,
                  const std::vector<StageProgram>& programs, const Communication& without) {
  return (step.time - simulate(programs, times.work(programs, without)).time).milliseconds();
}

void set_metrics(const Scenario& scenario, const std::vector<Chunk>& chunks, const Step& step,
                 Result& result) {
  const auto& training = std::get<scenario::Training>(scenario.workload);
  Metrics& metrics = result.metrics;
  const double seconds = step.time.seconds(), devices = scenario.plan.devices();
  const double tokens = 1.0 * training.global_batch * training.sequence_length;
  const double peak = scenario.cluster->accelerator().peak(scenario.precision.activations);
  metrics.makespan_ms = step.time.milliseconds();
  metrics.total_tokens_per_s = tokens / seconds;
  metrics.total_tokens_per_s_per_device = tokens / seconds / devices;
  const double flops = model_flops(scenario, true);
  metrics.model_flops_per_device_per_s = flops / seconds / devices;
  metrics.mfu = *metrics.model_flops_per_device_per_s / peak;
  metrics.mfu_full_attention = model_flops(scenario, false) / seconds / devices / peak;
  metrics.hfu = (flops + recomputed_flops(scenario, chunks)) / seconds / devices / peak;
  if (scenario.plan.pp == 1) return;
  Time busy;
  for (const Time& of_device : step.busy) busy += of_device;
  metrics.bubble_fraction = 1 - busy.seconds() / (static_cast<double>(step.busy.size()) * seconds);
}

/// Communication in flight on the busiest device. That of layers is spread over their computation;
/// what data-parallel collectives run beside must be at least what they take beyond the rest of the
/// step, and is not counted twice.
double in_flight_ms(const Step& step, Time of_layers) {
  const double busy = step.busy[step.busiest].seconds();
  const double data = step.data_parallel.seconds();
  const double beside = std::clamp(data + busy - step.time.seconds(), 0.0, busy);
  const double alone = busy > 0 ? 1 - beside / busy : 1;
  return std::min(1e3 * (data + of_layers.seconds() * alone), step.time.milliseconds());
}

void set_communication(const Step& step, const TrainingTimes& times, const Scenario& scenario,
                       const std::vector<StageProgram>& programs, Metrics& metrics) {
  const auto exposed = [&](const Communication& without) {
    return exposed_ms(step, times, programs, without);
  };
  const scenario::Plan& plan = scenario.plan;
  metrics.exposed_communication_ms = exposed({false, false, false, false});
  metrics.exposed_communication_fraction = *metrics.exposed_communication_ms / *metrics.makespan_ms;
  metrics.compute_ms = *metrics.makespan_ms - *metrics.exposed_communication_ms;
  if (plan.tp > 1) metrics.exposed_tp_ms = exposed({false, true, true, true});
  if (plan.cp * plan.ulysses > 1) metrics.exposed_cp_ms = exposed({true, false, true, true});
  if (plan.pp > 1) metrics.exposed_pp_ms = exposed({true, true, false, true});
  if (plan.replicas() > 1) metrics.exposed_dp_ms = exposed({true, true, true, false});
}

}  // namespace

void run_training(const Scenario& given, const RunOptions& options, Result& result) {
  const Scenario scenario = lowering::training_view(given);
  const lowering::Schedule& schedule =
      lowering::find_schedule(std::get<scenario::Training>(scenario.workload).schedule);
  lowering::ScheduleShape shape = schedule_shape(scenario);
  result.reason = schedule.refusal(shape);
  result.feasible = result.reason.empty();
  if (!result.feasible) return;
  const RunContext context(scenario);
  std::vector<Chunk> chunks = training_chunks(scenario, schedule.chunks(shape));
  const TrainingTimes times(context, chunks, schedule);
  shape.times = times.ratios();
  const std::vector<StageProgram> programs = schedule.programs(shape);
  const std::string recomputed = recompute_to_fit(scenario, chunks, programs);
  if (!recomputed.empty()) result.notes.push_back(recomputed);
  result.memory = training_memory(scenario, chunks, programs);
  result.reason = training_memory_reason(*result.memory);
  result.feasible = result.reason.empty();
  if (!result.feasible && scenario.plan.memory_check == scenario::MemoryCheck::enforce) return;

  const lowering::Unfolding unfolding{options.full ? scenario.plan.replicas() : 1, options.full};
  const Step step = simulate(programs, times.work(programs, {}), unfolding,
                             options.keep_schedule ? &result.schedule : nullptr);
  result.events = step.events;
  set_metrics(scenario, chunks, step, result);
  result.metrics.peak_memory_bytes = result.memory->fullest_stage().used_bytes();
  set_communication(step, times, scenario, programs, result.metrics);
  Breakdown breakdown =
      break_down(context, times, chunks, programs[step.busiest % programs.size()]);
  result.metrics.communication_ms = in_flight_ms(step, breakdown.communication());
  breakdown.add_other("optimizer", "optimizer", 1,
                      times.work(programs, {}).optimizer[step.busiest % programs.size()],
                      kernels::Bound::memory);
  breakdown.add_other("step", scenario.plan.pp > 1 ? "pipeline_wait" : "data_parallel_wait", 1,
                      step.time - breakdown.total(), kernels::Bound::network);
  result.breakdown = breakdown.rows(step.time);
  result.communication = breakdown.communication_rows();
  result.provenance_ms = breakdown.provenance_ms();
}

}  // namespace tradewind::workload
