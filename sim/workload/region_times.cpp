#include "sim/workload/region_times.h"

#include <algorithm>

#include "sim/engine/engine.h"
#include "sim/lowering/region_graph.h"

namespace tradewind::workload {
namespace {

using graph::TaskId;
using lowering::LaunchCost;
using lowering::OpKind;
using lowering::Region;
using lowering::RegionTask;

/// One rank's share of a region as a task graph of its own.
class LoneRank {
 public:
  LoneRank(const Region& region, const LaunchCost& launch, Time lead)
      : region_(region), launch_(launch) {
    compute_ = builder_.add_stream();
    launches_ = builder_.add_stream();
    resources_.units = builder_.add_resource(1);
    resources_.hbm = builder_.add_resource(region.hbm_bytes_per_s);
    resources_.power = builder_.add_resource(1);
    for (int lane = 0; lane < region.shape.lanes; ++lane) {
      lanes_.push_back(builder_.add_stream());
      links_.push_back({builder_.add_resource(region.link_bytes_per_s), region.link_bytes_per_s});
    }
    begin_ = add_task(compute_, lead, false);
  }

  TaskId tail(int) const { return begin_; }
  void depend(TaskId before, TaskId after) { builder_.add_dependency(before, after); }
  void join(int, std::span<const TaskId>) {}

  TaskId add(int, const RegionTask& task) {
    const bool computes = task.op == OpKind::compute || task.op == OpKind::add;
    const auto lane = static_cast<std::size_t>(task.lane);
    const graph::StreamId stream = computes ? compute_ : lanes_[lane];
    if (task.kernel == nullptr) {
      return add_task(stream, computes ? Time{} : region_.barrier, !computes);
    }
    TaskId launched = graph::kNoTask;
    if (launch_.per_kernel.ps > 0) launched = add_task(launches_, launch_.per_kernel, false);
    lowering::set_region_demands(demands_, region_, task, resources_,
                                 std::span(links_).subspan(computes ? 0 : lane, computes ? 0 : 1));
    transfer_.push_back(computes ? 0 : 1);
    const TaskId id = builder_.add_task({.stream = stream,
                                         .latency = launch_.gap + task.kernel->latency,
                                         .weight = computes ? 1 : region_.transfer_weight,
                                         .demands = demands_});
    if (launched != graph::kNoTask) depend(launched, id);
    return id;
  }

  RegionTime run(bool communication) {
    const graph::TaskGraph graph = std::move(builder_).build();
    engine::Options options;
    if (!communication) options.zeroed = transfer_;
    const engine::Timeline timeline = engine::simulate(graph, options);
    const Time host = launch_.per_kernel * static_cast<int>(region_.launches());
    return {timeline.makespan, in_flight(timeline), host};
  }

 private:
  TaskId add_task(graph::StreamId stream, Time latency, bool transfer) {
    transfer_.push_back(transfer ? 1 : 0);
    return builder_.add_task({.stream = stream, .latency = latency});
  }

  /// Length of the union of the transfers' intervals.
  Time in_flight(const engine::Timeline& timeline) const {
    std::vector<std::pair<Time, Time>> intervals;
    for (std::size_t task = 0; task < transfer_.size(); ++task) {
      if (transfer_[task]) intervals.emplace_back(timeline.start[task], timeline.finish[task]);
    }
    std::sort(intervals.begin(), intervals.end());
    Time sum, covered;
    for (const auto& [start, finish] : intervals) {
      if (finish <= covered) continue;
      sum += finish - std::max(start, covered);
      covered = finish;
    }
    return sum;
  }

  const Region& region_;
  const LaunchCost& launch_;
  graph::TaskGraphBuilder builder_;
  graph::StreamId compute_ = 0, launches_ = 0;
  std::vector<graph::StreamId> lanes_;
  std::vector<lowering::HeldLink> links_;  ///< by lane
  lowering::RankResources resources_;
  TaskId begin_ = 0;
  std::vector<graph::Demand> demands_;
  std::vector<std::uint8_t> transfer_;  ///< by task
};

}  // namespace

RegionTime RegionTimes::run(const std::shared_ptr<const Region>& region, const LaunchCost& launch,
                            Time lead, bool communication) {
  const Time all_launched = launch.per_kernel * static_cast<int>(region->launches());
  const Time from = std::clamp(lead, Time{}, all_launched);
  const Key key{region, launch.per_kernel, from, communication};
  auto known = known_.find(key);
  if (known == known_.end()) {
    LoneRank rank(*region, launch, from);
    lowering::emit_region(*region, std::span(&region->program, 1), rank);
    known = known_.emplace(key, rank.run(communication)).first;
  }
  RegionTime time = known->second;
  time.device += std::max(lead, from) - from;
  return time;
}

RegionCommunication RegionTimes::communication(const std::shared_ptr<const Region>& region,
                                               const LaunchCost& launch) {
  const Time lead = launch.per_kernel * static_cast<int>(region->launches());
  const RegionTime with = run(region, launch, lead, true);
  return {with.device - run(region, launch, lead, false).device, with.in_flight};
}

}  // namespace tradewind::workload
