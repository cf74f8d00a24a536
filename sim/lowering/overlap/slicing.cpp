#include <fmt/format.h>

#include "sim/lowering/overlap/program_writer.h"
#include "sim/lowering/overlap/strategy.h"

namespace tradewind::lowering {
namespace {

/// Chunks of Transformer Engine's userbuffers for Megatron: `num_splits` of its "pipeline" method
/// is 4 unless the user says otherwise (transformer_engine/pytorch/module/base.py,
/// initialize_ub). MindSpeed's MC2 does not publish its own.
constexpr int kChunks = 4;

int natural_slices(Pair, int) {
  return kChunks;
}

std::string refusal(Pair, int, int slices) {
  if (slices >= 1) return {};
  return fmt::format("slicing needs at least 1 slice, not {}", slices);
}

Program program(const ProgramShape& shape, int rank) {
  ProgramWriter writer(shape, rank);
  for (int chunk = 0; chunk < shape.slices; ++chunk) {
    if (shape.pair == Pair::gather_compute) {
      const int gathered = writer.collective(chunk);
      writer.compute(chunk, writer.own(gathered));
    } else {
      const int computed = writer.compute(chunk);
      writer.collective(chunk, writer.of_all_ranks({computed}));
    }
  }
  return writer.take();
}

}  // namespace

/// With n chunks T = Tc + (n-1) max(Tc, Tcoll) + Tcoll, times of one chunk: the collective of the
/// last chunk stays exposed, or of the first one before a computation (flashoverlap.md, section 3).
const Strategy& slicing() {
  static constexpr Strategy strategy{
      "slicing",
      "the collective of one chunk beside the computation of the next (Megatron, MindSpeed MC2)",
      natural_slices, refusal, program};
  return strategy;
}

}  // namespace tradewind::lowering
