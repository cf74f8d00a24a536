#include "sim/lowering/overlap/strategy.h"

namespace tradewind::lowering {
namespace {

Program with_collective(const ProgramShape&, int) {
  return {{OpKind::collective, 0, -1, 0, {}}, {OpKind::compute, 0, -1, 0, {}}};
}

Program with_sends(const ProgramShape& shape, int rank) {
  Program program;
  for (int step = 1; step < shape.ranks; ++step) {
    program.push_back(
        {OpKind::send, rank, (rank + step) % shape.ranks, (step - 1) % shape.lanes, {}});
  }
  program.push_back({OpKind::compute, 0, -1, 0, {}});
  return program;
}

int one_slice(Pair, int) {
  return 1;
}
std::string never_refused(Pair, int, int) {
  return {};
}

constexpr Strategy kCollective{"beside", "a collective beside a computation that does not need it",
                               one_slice, never_refused, with_collective};
constexpr Strategy kSends{"beside", "the same, moved straight between all pairs", one_slice,
                          never_refused, with_sends};

}  // namespace

const Strategy& beside(bool sends) {
  return sends ? kSends : kCollective;
}

}  // namespace tradewind::lowering
