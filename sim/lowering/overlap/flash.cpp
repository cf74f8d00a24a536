#include <fmt/format.h>

#include "sim/lowering/overlap/flash_schedules.h"
#include "sim/lowering/overlap/strategy.h"

namespace tradewind::lowering {
namespace {

int natural_slices(Pair, int ranks) {
  return ranks;
}

std::string refusal(Pair, int ranks, int slices) {
  if (slices >= ranks && slices % ranks == 0) return {};
  return fmt::format(
      "flash gives every rank as many slices: slices must be a multiple of the number of ranks, "
      "{}, not {}",
      ranks, slices);
}

Program program(const ProgramShape& shape, int rank) {
  const bool ring = shape.exchange == Exchange::ring;
  switch (shape.pair) {
    case Pair::gather_compute:
      return ring ? flash_ring_gather(shape, rank) : flash_pairwise_gather(shape, rank);
    case Pair::compute_scatter:
    case Pair::compute_reduce:
      return ring ? flash_ring_scatter(shape, rank) : flash_pairwise_scatter(shape, rank);
    case Pair::compute_exchange:
      break;
  }
  return flash_all_to_all(shape, rank);
}

}  // namespace

/// arXiv 2604.24013 (FlashOverlap; CommFuse from its second version on). With m = 1, equal ranks,
/// times of one slice and one lane: gather (T-1) max(Tc, Tp) + Tc; ring scatter
/// Tc + (T-1) (max(Tc, Tp) + Ta); reduce as scatter, then (T-1) Tp; all-to-all over a lane each
/// max(T Tc, (T-1) Tc + Tp) (flashoverlap.md, section 3).
const Strategy& flash() {
  static constexpr Strategy strategy{
      "flash",
      "slices sent from rank to rank, no barrier, the kept slice computed last (arXiv 2604.24013)",
      natural_slices, refusal, program};
  return strategy;
}

}  // namespace tradewind::lowering
