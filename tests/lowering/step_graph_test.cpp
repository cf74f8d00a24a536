// Messages between stages and collectives of the data-parallel group on the same NICs.
#include "sim/lowering/schedule/step_graph.h"

#include "sim/engine/engine.h"
#include "sim/lowering/schedule/schedule.h"
#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::lowering;

namespace {

constexpr std::int64_t kPass = 10'000, kMessage = 4'000, kReduce = 4'000;

/// One micro-batch through two stages of two nodes, gradients reduced as they come.
StepWork two_nodes(bool shares_network) {
  const Piece forward{Time{kPass}, {}, {}}, backward{Time{kPass}, {}, Time{kReduce}};
  StepWork work;
  work.chunks.assign(2, ChunkWork{{forward}, {backward}, {backward}, {backward}});
  work.handover = {{}, Time{kMessage}, {0, 1}, shares_network};
  work.reduces = Moves::each;
  work.compute_units_held = 0.1;
  return work;
}

Time makespan(const StepWork& work) {
  const std::vector<StageProgram> programs = one_forward_one_backward().programs({2, 1, 1, {}});
  return engine::simulate(build_step_graph(programs, work).graph).makespan;
}

}  // namespace

TEST_CASE("a message and a reduction that share a NIC take turns by halves") {
  // Down: pass, message, pass, pass back. Then the message back and the last stage's reduction
  // start together; each gets half of the NIC until both end, 8 ns later. Then the first stage's
  // pass back and its reduction.
  const std::int64_t apart = 4 * kPass + 2 * kMessage + kReduce;
  CHECK(makespan(two_nodes(false)).ps == Approx(apart).margin(3));
  CHECK(makespan(two_nodes(true)).ps == Approx(apart + kMessage).margin(3));
}

TEST_CASE("a message that blocks holds its sender, not its receiver") {
  StepWork work = two_nodes(false);
  for (ChunkWork& chunk : work.chunks) chunk.backward = chunk.forward;
  work.reduces = Moves::never;
  const auto makespan_of_two = [&] {
    const std::vector<StageProgram> programs = one_forward_one_backward().programs({2, 2, 1, {}});
    return engine::simulate(build_step_graph(programs, work).graph).makespan.ps;
  };
  // The last stage works without a pause from the first message on: forward and back, twice. Then
  // the last message back and the first stage's last pass.
  CHECK(makespan_of_two() == 6 * kPass + 2 * kMessage);
  // It sends the first gradient before its second pass forward, but takes messages as it works.
  work.sends = Sends::holding;
  CHECK(makespan_of_two() == 6 * kPass + 3 * kMessage);
}

TEST_CASE("a message inside the node has nothing to do with the NIC") {
  StepWork work = two_nodes(true);
  work.handover = {Time{kMessage}, {}, {0, 0}, true};
  CHECK(makespan(work).ps == Approx(4 * kPass + 2 * kMessage + kReduce).margin(3));
}
