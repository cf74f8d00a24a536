#pragma once

#include <span>
#include <vector>

#include "sim/graph/task_graph_builder.h"
#include "sim/lowering/region.h"

namespace tradewind::lowering {

/// One task of a region on one rank.
struct RegionTask {
  OpKind op;
  const Kernel* kernel;  ///< nullptr: a barrier
  int lane;
  int peer;
  int slice;
};

/// What one rank's tasks draw from. `power` and `links` may be absent.
struct RankResources {
  graph::ResourceId units = 0;  ///< capacity 1
  graph::ResourceId hbm = 0;    ///< bytes/s
  graph::ResourceId power = 0;  ///< capacity 1
  double speed = 1;             ///< of its computations
};

/// A link that a transfer holds for all of its work.
struct HeldLink {
  graph::ResourceId resource;
  double capacity;
};

/// Replaces `demands` by those of the task. Alone it takes exactly its kernel's work: a computation
/// (divided by the rank's speed) is bound by the compute units, a transfer by its links; meanwhile
/// both draw their bytes from HBM and their share of power.
void set_region_demands(std::vector<graph::Demand>& demands, const Region& region,
                        const RegionTask& task, const RankResources& resources,
                        std::span<const HeldLink> links);

/// The programs of all ranks, in order; of rank 0 alone where it stands for all.
std::vector<Program> programs_of(const Region& region, int ranks);

namespace detail {

struct EmittedOp {
  graph::TaskId first = graph::kNoTask, last = graph::kNoTask;
};

inline std::span<const Kernel> kernels_of(const Region& region, OpKind kind) {
  if (kind == OpKind::compute) return region.compute;
  if (kind == OpKind::add) return region.add;
  if (kind == OpKind::barrier) return {};
  return {&region.transfer, 1};
}

}  // namespace detail

/// Adds a region's tasks, rank by rank in the order of issue, to a graph behind `sink`:
///
///   TaskId sink.add(int rank, const RegionTask&)   on the rank's compute stream or lane
///   TaskId sink.tail(int rank)                     the last task before the region, or kNoTask
///   void sink.depend(TaskId before, TaskId after)
///   void sink.join(int rank, span<const TaskId>)   ends the region: waits for all of these
///
/// `programs` has one entry for each rank, or one that stands for all of them.
template <class Sink>
void emit_region(const Region& region, std::span<const Program> programs, Sink& sink) {
  const std::size_t ranks = programs.size();
  const std::size_t ops = programs[0].size();
  const auto rank_of = [&](int rank) { return static_cast<std::size_t>(rank) % ranks; };
  std::vector<detail::EmittedOp> emitted(ranks * ops);
  for (std::size_t op = 0; op < ops; ++op) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const Op& what = programs[rank][op];
      detail::EmittedOp& tasks = emitted[rank * ops + op];
      const auto add = [&](const Kernel* kernel) {
        const RegionTask task{what.kind, kernel, what.lane, what.peer, what.slice};
        tasks.last = sink.add(static_cast<int>(rank), task);
        if (tasks.first == graph::kNoTask) tasks.first = tasks.last;
      };
      for (const Kernel& kernel : detail::kernels_of(region, what.kind)) add(&kernel);
      // A barrier, and an addition that the products' epilogue does, take no kernel.
      if (tasks.first == graph::kNoTask) add(nullptr);
    }
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t op = 0; op < ops; ++op) {
      const Op& what = programs[rank][op];
      const graph::TaskId first = emitted[rank * ops + op].first;
      if (op == 0 || what.after.empty()) sink.depend(sink.tail(static_cast<int>(rank)), first);
      for (const OpRef& before : what.after) {
        const std::size_t of = rank_of(before.rank) * ops + static_cast<std::size_t>(before.op);
        sink.depend(emitted[of].last, first);
      }
      // A collective starts when the whole group has come to it.
      if (what.kind != OpKind::collective || !what.after.empty()) continue;
      for (std::size_t other = 0; other < ranks; ++other) {
        if (other != rank) sink.depend(sink.tail(static_cast<int>(other)), first);
      }
    }
  }
  // A rank goes on when its streams are through and all that is sent to it is there.
  const std::size_t lanes = static_cast<std::size_t>(region.shape.lanes);
  std::vector<std::vector<graph::TaskId>> ends(ranks);
  std::vector<graph::TaskId> newest;  // of one rank: [receiver][lane], the compute stream behind
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    newest.assign(ranks * lanes + 1, graph::kNoTask);
    for (std::size_t op = 0; op < ops; ++op) {
      const Op& what = programs[rank][op];
      const bool computes = what.kind == OpKind::compute || what.kind == OpKind::add;
      const std::size_t receiver = what.kind == OpKind::send ? rank_of(what.peer) : rank;
      const std::size_t lane = static_cast<std::size_t>(what.lane);
      newest[computes ? ranks * lanes : receiver * lanes + lane] = emitted[rank * ops + op].last;
    }
    for (std::size_t i = 0; i < newest.size(); ++i) {
      if (newest[i] == graph::kNoTask) continue;
      ends[rank].push_back(newest[i]);
      if (i < ranks * lanes && i / lanes != rank) ends[i / lanes].push_back(newest[i]);
    }
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) sink.join(static_cast<int>(rank), ends[rank]);
}

}  // namespace tradewind::lowering
