#include <fmt/format.h>

#include "sim/lowering/overlap/program_writer.h"
#include "sim/lowering/overlap/strategy.h"

namespace tradewind::lowering {
namespace {

int natural_slices(Pair, int) {
  return 1;
}

std::string refusal(Pair, int, int slices) {
  if (slices == 1) return {};
  return fmt::format("vanilla does not slice: slices must be 1, not {}", slices);
}

Program program(const ProgramShape& shape, int rank) {
  ProgramWriter writer(shape, rank);
  if (shape.pair == Pair::gather_compute) {
    const int gathered = writer.collective(0);
    writer.compute(0, writer.own(gathered));
  } else {
    const int computed = writer.compute(0);
    writer.collective(0, writer.of_all_ranks({computed}));
  }
  return writer.take();
}

}  // namespace

/// T = N Tc + Tcoll: nothing is hidden (flashoverlap.md, section 3).
const Strategy& vanilla() {
  static constexpr Strategy strategy{
      "vanilla", "the computation, then the whole collective (or the reverse): nothing is hidden",
      natural_slices, refusal, program};
  return strategy;
}

}  // namespace tradewind::lowering
