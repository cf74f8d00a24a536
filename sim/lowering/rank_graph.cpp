#include "sim/lowering/rank_graph.h"

#include <algorithm>

namespace tradewind::lowering {

using graph::Demand;
using graph::StreamId;
using graph::TaskId;
using StreamKind = UnfoldedGraph::StreamKind;

namespace {

constexpr std::uint32_t label_of(TaskKind kind) {
  return static_cast<std::uint32_t>(kind);
}
constexpr std::uint32_t label_of(KernelKind kind) {
  return static_cast<std::uint32_t>(kind);
}

bool is_transfer(OpKind op) {
  return op == OpKind::send || op == OpKind::collective;
}

}  // namespace

RankGraph::RankGraph(const scenario::Scenario& scenario)
    : scenario_(scenario), topology_(*scenario.cluster) {
  for (const hardware::Link& link : topology_.links()) {
    links_.push_back({builder_.add_resource(link.capacity_bytes_per_s), link.capacity_bytes_per_s});
  }
}

StreamId RankGraph::add_stream(StreamKind kind, int device) {
  unfolded_.streams.push_back({kind, device});
  return builder_.add_stream();
}

TaskId RankGraph::add_task(StreamId stream, std::uint32_t label, Time latency,
                           std::span<const Demand> demands, double weight) {
  unfolded_.phase_of_task.push_back(static_cast<std::uint32_t>(phase_));
  unfolded_.slice_of_task.push_back(slice_);
  unfolded_.communication.push_back(is_communication_task(label) ? 1 : 0);
  return builder_.add_task(
      {.stream = stream, .latency = latency, .weight = weight, .demands = demands, .label = label});
}

void RankGraph::depend(TaskId before, TaskId after) {
  if (before != graph::kNoTask) builder_.add_dependency(before, after);
}

std::vector<Device> RankGraph::add_devices(int first, int count) {
  const std::vector<double>& speeds = scenario_.cluster->device_speeds;
  std::vector<Device> devices(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Device& device = devices[i];
    device.id = first + static_cast<int>(i);
    device.compute = add_stream(StreamKind::compute, device.id);
    device.lanes = {add_stream(StreamKind::communication, device.id)};
    device.launch = add_stream(StreamKind::launch, device.id);
    device.resources.units = builder_.add_resource(1);
    device.resources.hbm =
        builder_.add_resource(scenario_.cluster->accelerator().hbm_bandwidth_bytes_per_s);
    device.resources.power = builder_.add_resource(1);
    const auto at = static_cast<std::size_t>(device.id);
    if (at < speeds.size()) device.resources.speed = speeds[at];
  }
  const auto group = static_cast<std::size_t>(scenario_.plan.group());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    connect(devices[i], std::span(devices).subspan(i / group * group, group));
  }
  return devices;
}

void RankGraph::connect(Device& device, std::span<const Device> group) {
  for (const Device& peer : group) {
    if (peer.id == device.id) continue;
    const hardware::Route route = topology_.route(device.id, peer.id);
    for (const int link : route.links()) {
      const auto index = static_cast<std::size_t>(link);
      if (topology_.links()[index].from != device.id) continue;
      const auto known = [&](const HeldLink& held) {
        return held.resource == links_[index].resource;
      };
      std::vector<HeldLink>& held = device.group_links;
      if (std::none_of(held.begin(), held.end(), known)) held.push_back(links_[index]);
    }
  }
}

std::span<const HeldLink> RankGraph::links_between(const Device& from, const Device& to) {
  route_.clear();
  const hardware::Route route = topology_.route(from.id, to.id);
  for (const int link : route.links()) route_.push_back(links_[static_cast<std::size_t>(link)]);
  return route_;
}

void RankGraph::run(std::span<Device> group, const Segment& segment, const LaunchCost& launch) {
  for (const Step& step : segment) {
    if (const Kernel* kernel = kernel_of(step)) {
      run_kernel(group, *kernel, launch);
    } else {
      run_region(group, std::get<std::shared_ptr<const Region>>(step), launch);
    }
  }
}

/// The host's launch of the next kernel, where it launches one by one.
TaskId RankGraph::add_launch(Device& device, const LaunchCost& launch) {
  if (launch.per_kernel.ps == 0) return graph::kNoTask;
  const TaskId launched = add_task(device.launch, label_of(TaskKind::launch), launch.per_kernel);
  if (device.launched == graph::kNoTask) depend(device.pass_start, launched);
  return device.launched = launched;
}

void RankGraph::run_kernel(std::span<Device> group, const Kernel& kernel,
                           const LaunchCost& launch) {
  const bool together = is_communication(kernel.kind);
  before_.clear();
  for (const Device& device : group) before_.push_back(device.tail);
  for (std::size_t rank = 0; rank < group.size(); ++rank) {
    Device& at = group[rank];
    const TaskId launched = add_launch(at, launch);
    const TaskId task = add_task(together ? at.lanes.front() : at.compute, label_of(kernel.kind),
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
std::span<const Demand> RankGraph::demands_of(const Device& device, const Kernel& kernel) {
  demands_.clear();
  if (kernel.work.ps == 0) return demands_;
  double seconds = kernel.work.seconds();
  if (is_communication(kernel.kind)) {
    for (const HeldLink& link : device.group_links) {
      demands_.push_back({link.resource, seconds * link.capacity});
    }
  } else {
    seconds /= device.resources.speed;
    demands_.push_back({device.resources.units, seconds});
  }
  const double bandwidth = scenario_.cluster->accelerator().hbm_bandwidth_bytes_per_s;
  if (kernel.cost.hbm_bytes > 0) {
    demands_.push_back(
        {device.resources.hbm, std::min(kernel.cost.hbm_bytes, seconds * bandwidth)});
  }
  return demands_;
}

/// Puts a region's tasks on the devices of a group.
class RegionSink {
 public:
  RegionSink(RankGraph& graph, std::span<Device> group, const Region& region,
             const LaunchCost& launch)
      : graph_(graph), group_(group), region_(region), launch_(launch) {}

  TaskId tail(int rank) const { return device(rank).tail; }
  void depend(TaskId before, TaskId after) { graph_.depend(before, after); }

  TaskId add(int rank, const RegionTask& task) {
    Device& at = device(rank);
    const bool computes = task.op == OpKind::compute || task.op == OpKind::add;
    const StreamId stream = computes ? at.compute : lane(at, task.lane);
    graph_.slice_ = task.slice;
    if (task.kernel == nullptr) {
      const bool barrier = task.op == OpKind::barrier;
      return graph_.add_task(stream, label_of(barrier ? TaskKind::barrier : TaskKind::begin),
                             barrier ? region_.barrier : Time{});
    }
    const TaskId launched = graph_.add_launch(at, launch_);
    const std::span<const HeldLink> links = held_links(at, task);
    set_region_demands(graph_.demands_, region_, task, at.resources, links);
    const TaskId id =
        graph_.add_task(stream, label_of(task.kernel->kind), launch_.gap + task.kernel->latency,
                        graph_.demands_, is_transfer(task.op) ? region_.transfer_weight : 1);
    depend(launched, id);
    return id;
  }

  void join(int rank, std::span<const TaskId> ends) {
    Device& at = device(rank);
    const TaskId task = graph_.add_task(at.compute, label_of(TaskKind::begin), Time{});
    for (const TaskId end : ends) depend(end, task);
    joins_.push_back(task);
  }

  /// After the last join: the devices go on from there.
  void move_on() {
    for (std::size_t rank = 0; rank < group_.size(); ++rank) group_[rank].tail = joins_[rank];
  }

 private:
  Device& device(int rank) const { return group_[static_cast<std::size_t>(rank)]; }

  StreamId lane(Device& at, int index) {
    while (at.lanes.size() <= static_cast<std::size_t>(index)) {
      at.lanes.push_back(graph_.add_stream(StreamKind::communication, at.id));
    }
    return at.lanes[static_cast<std::size_t>(index)];
  }

  std::span<const HeldLink> held_links(const Device& at, const RegionTask& task) {
    if (!is_transfer(task.op)) return {};
    if (task.op == OpKind::collective) return at.group_links;
    return graph_.links_between(at, device(task.peer));
  }

  RankGraph& graph_;
  std::span<Device> group_;
  const Region& region_;
  const LaunchCost& launch_;
  std::vector<TaskId> joins_;
};

void RankGraph::run_region(std::span<Device> group, const std::shared_ptr<const Region>& region,
                           const LaunchCost& launch) {
  if (last_region_ != region) {
    programs_ = programs_of(*region, static_cast<int>(group.size()));
    last_region_ = region;
  }
  RegionSink sink(*this, group, *region, launch);
  emit_region(*region, programs_, sink);
  slice_ = -1;
  sink.move_on();
}

UnfoldedGraph RankGraph::finish() {
  unfolded_.graph = std::move(builder_).build();
  return std::move(unfolded_);
}

}  // namespace tradewind::lowering
