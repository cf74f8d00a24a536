#include "sim/report/block_timeline.h"

#include <algorithm>
#include <cmath>

#include "sim/core/overload.h"
#include "sim/scenario/step_bounds.h"
#include "sim/workload/schedule.h"
#include "sim/workload/unfolded.h"

namespace tradewind::report {
namespace {

using StreamKind = lowering::UnfoldedGraph::StreamKind;

constexpr std::size_t kNoLane = ~std::size_t{0};

/// The lane of each stream, in an order in which a device's streams stand together.
std::vector<std::size_t> add_lanes(BlockTimeline& timeline,
                                   const std::vector<lowering::UnfoldedGraph::Stream>& streams,
                                   int ranks) {
  std::vector<std::size_t> lane_of(streams.size(), kNoLane);
  for (int device = 0; device < ranks; ++device) {
    for (const StreamKind kind : {StreamKind::compute, StreamKind::communication}) {
      for (std::size_t s = 0; s < streams.size(); ++s) {
        if (streams[s].device != device || streams[s].kind != kind) continue;
        lane_of[s] = timeline.lanes.size();
        timeline.lanes.push_back({device, kind == StreamKind::compute, {}});
      }
    }
  }
  return lane_of;
}

/// The block that the model's first layer is.
scenario::BlockPart first_layer(const model::ModelConfig& config) {
  switch (model::layer_kind(config, 0)) {
    case model::LayerKind::mamba:
      return scenario::BlockPart::mamba;
    case model::LayerKind::attention:
      return scenario::BlockPart::attention;
    case model::LayerKind::mlp:
      return scenario::BlockPart::mlp;
    default:
      return scenario::BlockPart::transformer;
  }
}

/// The model's first layer over a pass of so many tokens.
scenario::Block first_block(const scenario::Scenario& scenario, int sequences, int tokens) {
  scenario::Block block;
  block.part = first_layer(*scenario.model);
  block.batch = sequences;
  block.sequence_length = tokens;
  return block;
}

/// A forward pass of one block as the workload has them: of a static batch its first prefill, of
/// serving a prompt of the expected length within the token budget.
scenario::Block block_of(const scenario::Scenario& scenario) {
  return std::visit(
      Overload{[&](const scenario::StaticBatch& batch) {
                 const lowering::PassShape pass =
                     workload::nano_batches(scenario, batch).front().prefill.front();
                 return first_block(scenario, pass.sequences, pass.new_tokens);
               },
               [&](const scenario::Training& training) {
                 return first_block(scenario, training.micro_batch,
                                    training.sequence_length / scenario.plan.cp);
               },
               [](scenario::Block block) {
                 block.pass = scenario::BlockPass::forward;
                 return block;
               },
               [&](const scenario::Serving& serving) {
                 const int budget = step_bounds(scenario, serving).max_num_batched_tokens;
                 const double prompt = std::ceil(mean_tokens(serving.requests).input);
                 return first_block(scenario, 1,
                                    static_cast<int>(std::clamp(prompt, 1.0, 1.0 * budget)));
               }},
      scenario.workload);
}

}  // namespace

scenario::Scenario one_block(const scenario::Scenario& scenario) {
  scenario::Scenario alone = scenario;
  alone.plan.pp = 1;
  alone.plan.dp = alone.plan.cp = alone.plan.virtual_stages = 1;
  alone.plan.zero_stage = 0;
  alone.plan.nano_batches = 0;
  alone.workload = block_of(scenario);
  return alone;
}

BlockTimeline block_timeline(const scenario::Scenario& scenario, int ranks) {
  const scenario::Scenario alone = one_block(scenario);
  const workload::RunContext context(alone);
  const workload::UnfoldedRun run =
      workload::run_unfolded(context, std::get<scenario::Block>(alone.workload));
  const graph::TaskGraph& graph = run.unfolded.graph;
  BlockTimeline timeline;
  timeline.makespan = run.timeline.makespan;
  const std::vector<std::size_t> lane_of =
      add_lanes(timeline, run.unfolded.streams, std::min(ranks, alone.plan.group()));
  for (graph::TaskId task = 0; task < graph.task_count(); ++task) {
    const std::size_t lane = lane_of[graph.stream(task)];
    const Time start = run.timeline.start[task], finish = run.timeline.finish[task];
    const int slice = run.unfolded.slice_of_task[task];
    timeline.slices = std::max(timeline.slices, slice + 1);
    if (lane == kNoLane || start == finish) continue;
    timeline.lanes[lane].tasks.push_back(
        {lowering::task_name(graph.label(task)), slice, start, finish});
  }
  if (timeline.slices == 1) {  // the whole: nothing is taken apart
    timeline.slices = 0;
    for (BlockTimeline::Lane& lane : timeline.lanes) {
      for (BlockTimeline::Task& task : lane.tasks) task.slice = -1;
    }
  }
  std::erase_if(timeline.lanes, [](const BlockTimeline::Lane& lane) { return lane.tasks.empty(); });
  return timeline;
}

}  // namespace tradewind::report
