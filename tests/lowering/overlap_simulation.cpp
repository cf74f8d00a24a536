#include "tests/lowering/overlap_simulation.h"

#include "sim/engine/engine.h"
#include "sim/graph/task_graph_builder.h"

namespace tradewind::lowering {
namespace {

Ps duration(OpKind kind, const Times& times) {
  switch (kind) {
    case OpKind::compute:
      return times.compute;
    case OpKind::add:
      return times.add;
    case OpKind::send:
      return times.send;
    case OpKind::collective:
      return times.collective;
    case OpKind::barrier:
      break;
  }
  return 0;
}

/// One compute stream and `lanes` communication streams a rank.
graph::TaskGraph task_graph(const std::vector<Program>& programs, int lanes, const Times& times) {
  graph::TaskGraphBuilder builder;
  std::vector<graph::TaskId> first;
  graph::TaskId tasks = 0;
  for (const Program& program : programs) {
    first.push_back(tasks);
    tasks += static_cast<graph::TaskId>(program.size());
    const graph::StreamId computing = builder.add_stream();
    for (int lane = 0; lane < lanes; ++lane) builder.add_stream();
    for (const Op& op : program) {
      const bool computes = op.kind == OpKind::compute || op.kind == OpKind::add;
      const auto lane = static_cast<graph::StreamId>(op.lane);
      builder.add_task({.stream = computes ? computing : computing + 1 + lane,
                        .latency = Time{duration(op.kind, times)}});
    }
  }
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    for (std::size_t place = 0; place < programs[rank].size(); ++place) {
      for (const OpRef ref : programs[rank][place].after) {
        builder.add_dependency(
            first[static_cast<std::size_t>(ref.rank)] + static_cast<graph::TaskId>(ref.op),
            first[rank] + static_cast<graph::TaskId>(place));
      }
    }
  }
  return builder.build();
}

}  // namespace

Simulated simulate(const std::vector<Program>& programs, int lanes, const Times& times) {
  const graph::TaskGraph graph = task_graph(programs, lanes, times);
  std::vector<std::uint8_t> communication;
  for (const Program& program : programs) {
    for (const Op& op : program) {
      communication.push_back(op.kind != OpKind::compute && op.kind != OpKind::add);
    }
  }
  const Ps makespan = engine::simulate(graph).makespan.ps;
  return {makespan, makespan - engine::simulate(graph, {communication}).makespan.ps};
}

std::vector<Program> folded(const std::vector<Program>& programs) {
  Program program = programs.front();
  for (Op& op : program) {
    for (OpRef& ref : op.after) ref.rank = 0;
  }
  return {program};
}

}  // namespace tradewind::lowering
