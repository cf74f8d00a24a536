#include "sim/lowering/unfold.h"

#include <algorithm>

#include "sim/graph/task_graph_builder.h"
#include "sim/hardware/topology.h"
#include "sim/lowering/chain.h"

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

/// One device of a replica: its streams, its resources, and where its chain of tasks stands.
struct Device {
  int id = 0;
  StreamId compute = 0, communication = 0, launch = 0;
  graph::ResourceId units = 0, hbm = 0;
  std::vector<graph::ResourceId> group_links;  ///< that leave the device towards its group
  TaskId tail = graph::kNoTask;                ///< last task of the chain so far
  TaskId launched = graph::kNoTask;            ///< last launch of the pass
};

class Unfolder {
 public:
  Unfolder(const scenario::Scenario& scenario, const kernels::Book& book)
      : scenario_(scenario),
        book_(book),
        block_(std::get_if<scenario::Block>(&scenario.workload)),
        stages_(block_ ? std::vector<StageLayout>{{true, true, {{false, 1}}}}
                       : stage_layouts(scenario)),
        topology_(*scenario.cluster) {
    for (const hardware::Link& link : topology_.links()) {
      links_.push_back(builder_.add_resource(link.capacity_bytes_per_s));
    }
  }

  UnfoldedGraph run(std::span<const ScheduledPass> passes) {
    for (int replica = 0; replica < scenario_.plan.dp; ++replica) add_replica(replica, passes);
    unfolded_.graph = builder_.build();
    return std::move(unfolded_);
  }

 private:
  std::size_t tp() const { return static_cast<std::size_t>(scenario_.plan.tp); }
  Device& device(std::size_t stage, std::size_t rank) { return devices_[stage * tp() + rank]; }

  StreamId add_stream(StreamKind kind, int device) {
    unfolded_.streams.push_back({kind, device});
    return builder_.add_stream();
  }

  void depend(TaskId before, TaskId after) {
    if (before != graph::kNoTask) builder_.add_dependency(before, after);
  }

  TaskId add_task(StreamId stream, std::uint32_t label, Time latency,
                  std::span<const Demand> demands = {}) {
    unfolded_.phase_of_task.push_back(static_cast<std::uint32_t>(phase_));
    unfolded_.communication.push_back(is_communication_task(label) ? 1 : 0);
    return builder_.add_task(
        {.stream = stream, .latency = latency, .demands = demands, .label = label});
  }

  void add_devices(int replica) {
    const hardware::Accelerator& accelerator = scenario_.cluster->accelerator();
    devices_.clear();
    const int first = replica * scenario_.plan.tp * scenario_.plan.pp;
    for (int i = 0; i < scenario_.plan.tp * scenario_.plan.pp; ++i) {
      Device device;
      device.id = first + i;
      device.compute = add_stream(StreamKind::compute, device.id);
      device.communication = add_stream(StreamKind::communication, device.id);
      device.launch = add_stream(StreamKind::launch, device.id);
      device.units = builder_.add_resource(1);
      device.hbm = builder_.add_resource(accelerator.hbm_bandwidth_bytes_per_s);
      devices_.push_back(std::move(device));
    }
    for (std::size_t i = 0; i < devices_.size(); ++i) connect_to_group(i);
  }

  void connect_to_group(std::size_t index) {
    Device& device = devices_[index];
    const std::size_t group = index / tp() * tp();
    for (std::size_t peer = group; peer < group + tp(); ++peer) {
      if (peer == index) continue;
      const hardware::Route route = topology_.route(device.id, devices_[peer].id);
      for (const int link : route.links()) {
        const graph::ResourceId id = links_[static_cast<std::size_t>(link)];
        if (topology_.links()[static_cast<std::size_t>(link)].from != device.id) continue;
        std::vector<graph::ResourceId>& known = device.group_links;
        if (std::find(known.begin(), known.end(), id) == known.end()) known.push_back(id);
      }
    }
  }

  void add_replica(int replica, std::span<const ScheduledPass> passes) {
    add_devices(replica);
    const StreamId host = add_stream(StreamKind::host, devices_.front().id);
    std::vector<StreamId> returns;
    std::vector<std::vector<TaskId>> ready;  // by nano-batch: what its next pass waits for
    for (const ScheduledPass& pass : passes) {
      const auto nano = static_cast<std::size_t>(pass.nano_batch);
      while (ready.size() <= nano) {
        ready.emplace_back();
        returns.push_back(add_stream(StreamKind::token_return, devices_.front().id));
      }
      phase_ = pass.shape.phase;
      const TaskId prepared = add_task(host, label_of(TaskKind::host), pass.host);
      if (pass.needs_last) {
        for (const TaskId task : ready[nano]) depend(task, prepared);
      }
      add_pass(pass, prepared);
      ready[nano] = token_ends(pass, returns[nano]);
      if (replica == 0) unfolded_.pass_end.push_back(device(stages_.size() - 1, 0).tail);
    }
  }

  /// The tasks after which the sampled tokens are back at stage 0.
  std::vector<TaskId> token_ends(const ScheduledPass& pass, StreamId stream) {
    std::vector<TaskId> ends;
    for (std::size_t rank = 0; rank < tp(); ++rank) {
      ends.push_back(device(stages_.size() - 1, rank).tail);
    }
    if (stages_.size() == 1 || !pass.shape.yields_tokens) return ends;
    const Kernel back = token_return(scenario_, book_, pass.shape);
    const TaskId task = add_task(stream, label_of(KernelKind::p2p), back.duration());
    for (const TaskId end : ends) depend(end, task);
    return {task};
  }

  void add_pass(const ScheduledPass& pass, TaskId prepared) {
    const PassKernels kernels =
        block_ ? lower_block(scenario_, book_, *block_) : lower_pass(scenario_, book_, pass.shape);
    const LaunchCost launch = launch_cost(*scenario_.runtime, pass.shape.phase);
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      if (stage == 0) {
        for (std::size_t rank = 0; rank < tp(); ++rank) begin(device(0, rank), prepared);
      } else {
        hand_over(stage, stage_transfer(scenario_, book_, pass.shape, static_cast<int>(stage) - 1));
      }
      add_stage(stage, kernels, launch);
    }
  }

  void begin(Device& device, TaskId after) {
    const TaskId task = add_task(device.compute, label_of(TaskKind::begin), Time{});
    depend(device.tail, task);
    depend(after, task);
    device.tail = task;
  }

  /// Send and receive hold both compute streams and start together, as NCCL's do.
  void hand_over(std::size_t stage, const Kernel& transfer) {
    const int sharing = senders_per_nic(scenario_, static_cast<int>(stage) - 1);
    for (std::size_t rank = 0; rank < tp(); ++rank) {
      Device& from = device(stage - 1, rank);
      Device& to = device(stage, rank);
      const TaskId sent_from = from.tail;
      begin(to, graph::kNoTask);
      demands_.assign(1, {from.units, transfer.work.seconds()});
      const hardware::Route route = topology_.route(from.id, to.id);
      for (const int link : route.links()) {
        const double capacity =
            topology_.links()[static_cast<std::size_t>(link)].capacity_bytes_per_s;
        demands_.push_back(
            {links_[static_cast<std::size_t>(link)], capacity * transfer.work.seconds() / sharing});
      }
      const TaskId send =
          add_task(from.compute, label_of(KernelKind::p2p), transfer.latency, demands_);
      depend(sent_from, send);
      depend(to.tail, send);
      const TaskId receive = add_task(to.compute, label_of(KernelKind::p2p), transfer.duration());
      depend(sent_from, receive);
      from.tail = send;
      to.tail = receive;
    }
  }

  void add_stage(std::size_t stage, const PassKernels& kernels, const LaunchCost& launch) {
    const StageLayout& layout = stages_[stage];
    for (std::size_t rank = 0; rank < tp(); ++rank) {
      Device& at = device(stage, rank);
      at.launched = graph::kNoTask;
      if (launch.per_pass.ps == 0) continue;
      const TaskId task = add_task(at.compute, label_of(TaskKind::launch), launch.per_pass);
      depend(at.tail, task);
      at.tail = task;
    }
    starts_.clear();
    for (std::size_t rank = 0; rank < tp(); ++rank) starts_.push_back(device(stage, rank).tail);
    add_segment(stage, layout.first ? kernels.embedding : kernels.take_over, launch);
    for (const StageLayout::Run& run : layout.runs) {
      for (int i = 0; i < run.layers; ++i) {
        add_segment(stage, kernels.layer[run.windowed ? 1 : 0], launch);
      }
    }
    if (layout.last) add_segment(stage, kernels.head, launch);
  }

  void add_segment(std::size_t stage, const Segment& segment, const LaunchCost& launch) {
    for (const Kernel& kernel : segment) add_kernel(stage, kernel, launch);
  }

  void add_kernel(std::size_t stage, const Kernel& kernel, const LaunchCost& launch) {
    const bool together = is_communication(kernel.kind);
    before_.clear();
    for (std::size_t rank = 0; rank < tp(); ++rank) before_.push_back(device(stage, rank).tail);
    for (std::size_t rank = 0; rank < tp(); ++rank) {
      Device& at = device(stage, rank);
      TaskId launched = graph::kNoTask;
      if (launch.per_kernel.ps > 0) {
        launched = add_task(at.launch, label_of(TaskKind::launch), launch.per_kernel);
        depend(at.launched == graph::kNoTask ? starts_[rank] : graph::kNoTask, launched);
        at.launched = launched;
      }
      const TaskId task = add_task(together ? at.communication : at.compute, label_of(kernel.kind),
                                   launch.gap + kernel.latency, demands_of(at, kernel));
      depend(launched, task);
      // A collective starts when the whole group has come to it.
      if (together) {
        for (const TaskId before : before_) depend(before, task);
      } else {
        depend(before_[rank], task);
      }
      at.tail = task;
    }
  }

  /// The kernel alone takes exactly its work: it is bound by its compute units or by its links, and
  /// draws its bytes from HBM meanwhile.
  std::span<const Demand> demands_of(const Device& device, const Kernel& kernel) {
    demands_.clear();
    const double seconds = kernel.work.seconds();
    if (kernel.work.ps == 0) return demands_;
    if (is_communication(kernel.kind)) {
      for (const graph::ResourceId link : device.group_links) {
        demands_.push_back({link, seconds * topology_.links()[link].capacity_bytes_per_s});
      }
    } else {
      demands_.push_back({device.units, seconds});
    }
    const double bandwidth = scenario_.cluster->accelerator().hbm_bandwidth_bytes_per_s;
    if (kernel.cost.hbm_bytes > 0) {
      demands_.push_back({device.hbm, std::min(kernel.cost.hbm_bytes, seconds * bandwidth)});
    }
    return demands_;
  }

  const scenario::Scenario& scenario_;
  const kernels::Book& book_;
  const scenario::Block* block_;  ///< the workload when it is one block
  std::vector<StageLayout> stages_;
  hardware::Topology topology_;
  graph::TaskGraphBuilder builder_;
  UnfoldedGraph unfolded_;
  std::vector<graph::ResourceId> links_;  ///< by link of the topology
  std::vector<Device> devices_;           ///< of the replica in hand, stage by stage
  std::vector<TaskId> before_, starts_;   ///< by rank
  std::vector<Demand> demands_;
  Phase phase_ = Phase::prefill;
};

}  // namespace

std::string_view task_name(std::uint32_t label) {
  if (label < kKernelKindCount) return kKernelNames[label];
  switch (static_cast<TaskKind>(label)) {
    case TaskKind::host:
      return "host";
    case TaskKind::launch:
      return "launch";
    default:
      return "begin";
  }
}

bool is_communication_task(std::uint32_t label) {
  return label < kKernelKindCount && is_communication(static_cast<KernelKind>(label));
}

std::size_t unfolded_task_count(const scenario::Scenario& scenario,
                                std::span<const ScheduledPass> passes) {
  constexpr std::size_t kMostKernelsOfLayer = 20, kMostBesideLayers = 12;
  const auto layers = static_cast<std::size_t>(scenario.model->num_hidden_layers);
  const auto stages = static_cast<std::size_t>(scenario.plan.pp);
  const std::size_t of_rank = layers * kMostKernelsOfLayer + stages * kMostBesideLayers;
  return passes.size() * of_rank * static_cast<std::size_t>(scenario.plan.tp) *
         static_cast<std::size_t>(scenario.plan.dp);
}

UnfoldedGraph unfold(const scenario::Scenario& scenario, const kernels::Book& book,
                     std::span<const ScheduledPass> passes) {
  return Unfolder(scenario, book).run(passes);
}

}  // namespace tradewind::lowering
