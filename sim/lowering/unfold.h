#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/graph/task_graph.h"
#include "sim/lowering/pass.h"

namespace tradewind::lowering {

/// One pass of one nano-batch, in the order in which stage 0 takes them.
struct ScheduledPass {
  int nano_batch = 0;
  PassShape shape;
  Time host;                ///< prepares the pass before stage 0
  bool needs_last = false;  ///< starts from the tokens of this nano-batch's pass before
};

/// What a task of an unfolded graph is: a kernel kind, or one of these.
enum class TaskKind : std::uint32_t {
  first_special = kKernelKindCount,
  host = first_special,  ///< the runtime prepares a pass
  launch,                ///< the host launches one kernel, or one graph
  begin,                 ///< a stage is free and has its input; takes no time
  barrier,               ///< ranks wait for each other between the steps of a region
};
std::string_view task_name(std::uint32_t label);
bool is_communication_task(std::uint32_t label);

/// Every rank, layer and kernel of a run as one task graph: replicas, stages and tensor-parallel
/// ranks each with a compute stream, a communication stream and a launching host.
struct UnfoldedGraph {
  enum class StreamKind { compute, communication, launch, host, token_return };
  struct Stream {
    StreamKind kind;
    int device;  ///< of the cluster; the replica's first for host and token_return
  };
  graph::TaskGraph graph;
  std::vector<Stream> streams;               ///< by StreamId
  std::vector<std::uint32_t> phase_of_task;  ///< Phase
  std::vector<graph::TaskId> pass_end;       ///< by scheduled pass: leaves replica 0's last stage
  std::vector<std::int32_t> slice_of_task;   ///< of a region's rows; -1 outside regions
  std::vector<std::uint8_t> communication;   ///< by task: 1 for every kind of communication
};

/// Tasks that unfolding `passes` would make, to refuse what would not fit in memory.
std::size_t unfolded_task_count(const scenario::Scenario& scenario,
                                std::span<const ScheduledPass> passes);

UnfoldedGraph unfold(const scenario::Scenario& scenario, const kernels::Book& book,
                     std::span<const ScheduledPass> passes);

}  // namespace tradewind::lowering
