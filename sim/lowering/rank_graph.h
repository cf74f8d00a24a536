#pragma once

#include <span>
#include <vector>

#include "sim/graph/task_graph_builder.h"
#include "sim/hardware/topology.h"
#include "sim/lowering/chain.h"
#include "sim/lowering/region_graph.h"
#include "sim/lowering/unfold.h"

namespace tradewind::lowering {

/// One device of an unfolded graph: its streams, its resources, and where its chain of tasks
/// stands.
struct Device {
  int id = 0;
  graph::StreamId compute = 0, launch = 0;
  std::vector<graph::StreamId> lanes;  ///< communication; further ones as regions need them
  RankResources resources;
  std::vector<HeldLink> group_links;          ///< that leave the device towards its group
  graph::TaskId tail = graph::kNoTask;        ///< last task of the chain so far
  graph::TaskId launched = graph::kNoTask;    ///< last launch of the pass
  graph::TaskId pass_start = graph::kNoTask;  ///< what the first launch of the pass waits for
};

/// Devices, their links and their tasks as one growing graph: runs segments on the devices of a
/// group, rank by rank.
class RankGraph {
 public:
  explicit RankGraph(const scenario::Scenario& scenario);

  graph::StreamId add_stream(UnfoldedGraph::StreamKind kind, int device);
  graph::TaskId add_task(graph::StreamId stream, std::uint32_t label, Time latency,
                         std::span<const graph::Demand> demands = {}, double weight = 1);
  /// Nothing where `before` is kNoTask.
  void depend(graph::TaskId before, graph::TaskId after);

  /// Devices first .. first + count - 1, in groups of plan.group().
  std::vector<Device> add_devices(int first, int count);
  /// The links from one device to another.
  std::span<const HeldLink> links_between(const Device& from, const Device& to);
  void run(std::span<Device> group, const Segment& segment, const LaunchCost& launch);

  void set_phase(Phase phase) { phase_ = phase; }
  UnfoldedGraph finish();

 private:
  friend class RegionSink;

  void connect(Device& device, std::span<const Device> group);
  void run_kernel(std::span<Device> group, const Kernel& kernel, const LaunchCost& launch);
  void run_region(std::span<Device> group, const std::shared_ptr<const Region>& region,
                  const LaunchCost& launch);
  graph::TaskId add_launch(Device& device, const LaunchCost& launch);
  std::span<const graph::Demand> demands_of(const Device& device, const Kernel& kernel);

  const scenario::Scenario& scenario_;
  hardware::Topology topology_;
  graph::TaskGraphBuilder builder_;
  UnfoldedGraph unfolded_;
  std::vector<HeldLink> links_;  ///< by link of the topology
  std::vector<HeldLink> route_;
  std::vector<graph::TaskId> before_;  ///< by rank
  std::vector<graph::Demand> demands_;
  std::shared_ptr<const Region> last_region_;  ///< whose programs are at hand: layers repeat it
  std::vector<Program> programs_;
  Phase phase_ = Phase::prefill;
  std::int32_t slice_ = -1;  ///< of the region's operation in hand
};

}  // namespace tradewind::lowering
