#include "sim/lowering/unfold.h"

#include <algorithm>

#include "sim/lowering/rank_graph.h"

namespace tradewind::lowering {
namespace {

using graph::Demand;
using graph::StreamId;
using graph::TaskId;
using StreamKind = UnfoldedGraph::StreamKind;

constexpr std::uint32_t label_of(TaskKind kind) {
  return static_cast<std::uint32_t>(kind);
}
constexpr std::uint32_t label_of(KernelKind kind) {
  return static_cast<std::uint32_t>(kind);
}

class Unfolder {
 public:
  Unfolder(const scenario::Scenario& scenario, const kernels::Book& book)
      : scenario_(scenario),
        book_(book),
        block_(std::get_if<scenario::Block>(&scenario.workload)),
        stages_(block_ ? std::vector<StageLayout>{{true, true, {{0, 1}}}}
                       : stage_layouts(scenario)),
        graph_(scenario) {}

  UnfoldedGraph run(std::span<const ScheduledPass> passes) {
    for (int replica = 0; replica < scenario_.plan.dp; ++replica) add_replica(replica, passes);
    UnfoldedGraph unfolded = graph_.finish();
    unfolded.pass_end = std::move(pass_end_);
    return unfolded;
  }

 private:
  std::span<Device> stage_devices(std::size_t stage) {
    const auto group = static_cast<std::size_t>(scenario_.plan.group());
    return std::span(devices_).subspan(stage * group, group);
  }

  void add_replica(int replica, std::span<const ScheduledPass> passes) {
    const int of_replica = scenario_.plan.group() * scenario_.plan.pp;
    devices_ = graph_.add_devices(replica * of_replica, of_replica);
    const StreamId host = graph_.add_stream(StreamKind::host, devices_.front().id);
    std::vector<StreamId> returns;
    std::vector<std::vector<TaskId>> ready;  // by nano-batch: what its next pass waits for
    for (const ScheduledPass& pass : passes) {
      const auto nano = static_cast<std::size_t>(pass.nano_batch);
      while (ready.size() <= nano) {
        ready.emplace_back();
        returns.push_back(graph_.add_stream(StreamKind::token_return, devices_.front().id));
      }
      graph_.set_phase(pass.shape.phase);
      const TaskId prepared = graph_.add_task(host, label_of(TaskKind::host), pass.host);
      if (pass.needs_last) {
        for (const TaskId task : ready[nano]) graph_.depend(task, prepared);
      }
      add_pass(pass, prepared);
      ready[nano] = token_ends(pass, returns[nano]);
      if (replica == 0) pass_end_.push_back(stage_devices(stages_.size() - 1).front().tail);
    }
  }

  /// The tasks after which the sampled tokens are back at stage 0.
  std::vector<TaskId> token_ends(const ScheduledPass& pass, StreamId stream) {
    std::vector<TaskId> ends;
    for (const Device& device : stage_devices(stages_.size() - 1)) ends.push_back(device.tail);
    if (stages_.size() == 1 || !pass.shape.yields_tokens) return ends;
    const Kernel back = token_return(scenario_, book_, pass.shape);
    const TaskId task = graph_.add_task(stream, label_of(KernelKind::p2p), back.duration());
    for (const TaskId end : ends) graph_.depend(end, task);
    return {task};
  }

  void add_pass(const ScheduledPass& pass, TaskId prepared) {
    const PassKernels& kernels = kernels_of(pass.shape);
    const LaunchCost launch = launch_cost(*scenario_.runtime, pass.shape.phase);
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      if (stage == 0) {
        for (Device& device : stage_devices(0)) begin(device, prepared);
      } else {
        hand_over(stage, stage_transfer(scenario_, book_, pass.shape, static_cast<int>(stage) - 1));
      }
      add_stage(stage, kernels, launch);
    }
  }

  const PassKernels& kernels_of(const PassShape& shape) {
    kernels_ =
        block_ ? lower_block(scenario_, book_, *block_) : lower_pass(scenario_, book_, shape);
    return kernels_;
  }

  void begin(Device& device, TaskId after) {
    const TaskId task = graph_.add_task(device.compute, label_of(TaskKind::begin), Time{});
    graph_.depend(device.tail, task);
    graph_.depend(after, task);
    device.tail = task;
  }

  /// Send and receive hold both compute streams and start together, as NCCL's do.
  void hand_over(std::size_t stage, const Kernel& transfer) {
    const int sharing = senders_per_nic(scenario_, static_cast<int>(stage) - 1);
    const double seconds = transfer.work.seconds();
    for (std::size_t rank = 0; rank < stage_devices(stage).size(); ++rank) {
      Device& from = stage_devices(stage - 1)[rank];
      Device& to = stage_devices(stage)[rank];
      const TaskId sent_from = from.tail;
      begin(to, graph::kNoTask);
      demands_.assign(1, {from.resources.units, seconds});
      for (const HeldLink& link : graph_.links_between(from, to)) {
        demands_.push_back({link.resource, link.capacity * seconds / sharing});
      }
      const TaskId send =
          graph_.add_task(from.compute, label_of(KernelKind::p2p), transfer.latency, demands_);
      graph_.depend(sent_from, send);
      graph_.depend(to.tail, send);
      const TaskId receive =
          graph_.add_task(to.compute, label_of(KernelKind::p2p), transfer.duration());
      graph_.depend(sent_from, receive);
      from.tail = send;
      to.tail = receive;
    }
  }

  void add_stage(std::size_t stage, const PassKernels& kernels, const LaunchCost& launch) {
    const StageLayout& layout = stages_[stage];
    const std::span<Device> group = stage_devices(stage);
    for (Device& at : group) {
      at.launched = graph::kNoTask;
      // A later stage's host has launched by the time its input comes.
      if (launch.per_pass.ps > 0 && layout.first) {
        const TaskId task =
            graph_.add_task(at.compute, label_of(TaskKind::launch), launch.per_pass);
        graph_.depend(at.tail, task);
        at.tail = task;
      }
      at.pass_start = at.tail;
    }
    graph_.run(group, layout.first ? kernels.embedding : kernels.take_over, launch);
    for (const StageLayout::Run& run : layout.runs) {
      for (int i = 0; i < run.layers; ++i) {
        graph_.run(group, kernels.layer[run.layer_class], launch);
      }
    }
    if (layout.last) graph_.run(group, kernels.head, launch);
  }

  const scenario::Scenario& scenario_;
  const kernels::Book& book_;
  const scenario::Block* block_;  ///< the workload when it is one block
  std::vector<StageLayout> stages_;
  RankGraph graph_;
  std::vector<Device> devices_;  ///< of the replica in hand, stage by stage
  PassKernels kernels_;          ///< of the pass in hand
  std::vector<TaskId> pass_end_;
  std::vector<Demand> demands_;
};

}  // namespace

std::string_view task_name(std::uint32_t label) {
  if (label < kKernelKindCount) return kKernelNames[label];
  switch (static_cast<TaskKind>(label)) {
    case TaskKind::host:
      return "host";
    case TaskKind::launch:
      return "launch";
    case TaskKind::barrier:
      return "barrier";
    default:
      return "begin";
  }
}

bool is_communication_task(std::uint32_t label) {
  if (label < kKernelKindCount) return is_communication(static_cast<KernelKind>(label));
  return static_cast<TaskKind>(label) == TaskKind::barrier;
}

std::size_t unfolded_task_count(const scenario::Scenario& scenario,
                                std::span<const ScheduledPass> passes) {
  constexpr std::size_t kMostKernelsOfLayer = 20, kMostBesideLayers = 12;
  const auto layers = static_cast<std::size_t>(scenario.model->num_hidden_layers);
  const auto stages = static_cast<std::size_t>(scenario.plan.pp);
  // A region has a computation, an addition and two transfers for each slice, at most.
  constexpr std::size_t kMostTasksOfSlice = 6, kMostRegionsOfLayer = 4;
  const scenario::Overlap& overlap = scenario.plan.overlap;
  const auto group = static_cast<std::size_t>(scenario.plan.group());
  const std::size_t slices = std::max(group, static_cast<std::size_t>(overlap.slices));
  const std::size_t of_layer =
      kMostKernelsOfLayer +
      (overlap.strategy == "vanilla" ? 0 : kMostRegionsOfLayer * kMostTasksOfSlice * slices);
  const std::size_t of_rank = layers * of_layer + stages * kMostBesideLayers;
  return passes.size() * of_rank * group * static_cast<std::size_t>(scenario.plan.dp);
}

UnfoldedGraph unfold(const scenario::Scenario& scenario, const kernels::Book& book,
                     std::span<const ScheduledPass> passes) {
  return Unfolder(scenario, book).run(passes);
}

}  // namespace tradewind::lowering
