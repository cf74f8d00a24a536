#include "sim/workload/unfolded.h"

#include <fmt/format.h>

#include "sim/core/error.h"
#include "sim/engine/engine.h"

namespace tradewind::workload {
namespace {

constexpr std::size_t kMostTasks = 60'000'000;

Ends ends_of(const UnfoldedRun& run, const engine::Timeline& timeline) {
  Ends ends;
  std::vector<Time> left;
  std::vector<int> sequences;
  for (std::size_t i = 0; i < run.passes.size(); ++i) {
    const lowering::ScheduledPass& pass = run.passes[i];
    const auto nano = static_cast<std::size_t>(pass.nano_batch);
    const Time at = timeline.finish[run.unfolded.pass_end[i]];
    if (left.size() <= nano) left.resize(nano + 1), sequences.resize(nano + 1);
    left[nano] = at;
    if (pass.shape.phase != lowering::Phase::prefill || !pass.shape.yields_tokens) continue;
    ends.add_first_tokens(at, pass.shape.sequences);
    sequences[nano] += pass.shape.sequences;
  }
  for (std::size_t nano = 0; nano < left.size(); ++nano) {
    ends.add_last_tokens(left[nano], sequences[nano]);
  }
  return ends;
}

UnfoldedRun simulate(const RunContext& context, std::vector<lowering::ScheduledPass> passes) {
  const std::size_t tasks = lowering::unfolded_task_count(context.scenario, passes);
  if (tasks > kMostTasks) {
    throw InputError("--full", "",
                     fmt::format("would unfold into about {} million tasks, more than {} million; "
                                 "shorten the output or run folded",
                                 tasks / 1'000'000, kMostTasks / 1'000'000));
  }
  UnfoldedRun run;
  run.passes = std::move(passes);
  run.unfolded = lowering::unfold(context.scenario, context.book, run.passes);
  engine::Engine engine;
  run.timeline = engine.simulate(run.unfolded.graph);
  run.simulated = ends_of(run, run.timeline);
  const engine::Timeline quiet =
      engine.simulate(run.unfolded.graph, {.zeroed = run.unfolded.communication});
  run.without_communication = ends_of(run, quiet);
  return run;
}

}  // namespace

std::vector<lowering::ScheduledPass> scheduled_passes(const RunContext& context,
                                                      const scenario::StaticBatch& batch,
                                                      int decode_steps) {
  std::vector<lowering::ScheduledPass> passes;
  const std::vector<NanoBatch> nanos = nano_batches(context.scenario, batch);
  const int count = static_cast<int>(nanos.size());
  for (int nano = 0; nano < count; ++nano) {
    for (const lowering::PassShape& shape : nanos[static_cast<std::size_t>(nano)].prefill) {
      passes.push_back({nano, shape, context.step_host(shape), false});
    }
  }
  for (int step = 1; step <= std::min(decode_steps, batch.output_tokens - 1); ++step) {
    for (int nano = 0; nano < count; ++nano) {
      const int sequences = nanos[static_cast<std::size_t>(nano)].sequences;
      const lowering::PassShape shape = decode_shape(batch, sequences, step);
      passes.push_back({nano, shape, context.step_host(shape), true});
    }
  }
  return passes;
}

UnfoldedRun run_unfolded(const RunContext& context, const scenario::StaticBatch& batch,
                         int decode_steps) {
  return simulate(context, scheduled_passes(context, batch, decode_steps));
}

UnfoldedRun run_unfolded(const RunContext& context, const scenario::Block& block) {
  const lowering::PassShape shape{lowering::Phase::prefill, block.batch, block.sequence_length,
                                  block.sequence_length, true};
  return simulate(context, {{0, shape, Time{}, false}});
}

}  // namespace tradewind::workload
