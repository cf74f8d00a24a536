#include <fmt/format.h>

#include "sim/lowering/overlap/program_writer.h"
#include "sim/lowering/overlap/strategy.h"

namespace tradewind::lowering {
namespace {

int natural_slices(Pair, int ranks) {
  return ranks;
}

std::string refusal(Pair, int ranks, int slices) {
  if (slices == ranks) return {};
  return fmt::format(
      "decompose permutes one slice a rank: slices must be the number of ranks, {}, not {}", ranks,
      slices);
}

/// Writes step by step: what one step starts waits for the barrier that ended the step before.
class Steps {
 public:
  Steps(const ProgramShape& shape, int rank)
      : ranks_(shape.ranks), rank_(rank), writer_(shape, rank) {}

  void compute(int slice) { places_.push_back(writer_.compute(slice, released_)); }
  void permute(int slice, int peer) { places_.push_back(writer_.send(slice, peer, 0, released_)); }
  /// Adds what the permute of this step brings from `peer`. REQUIRES: `permute` was called first in
  /// this step.
  void add(int slice, int peer) {
    places_.push_back(writer_.add(slice, {{peer, places_.front()}}));
  }
  void end_step() {
    released_ = writer_.own(writer_.barrier(writer_.of_all_ranks(places_)));
    places_.clear();
  }

  int rank_after(int by) const { return around(rank_, by, ranks_); }
  int ranks() const { return ranks_; }
  Program take() { return writer_.take(); }

 private:
  int ranks_;
  int rank_;
  ProgramWriter writer_;
  ProgramWriter::After released_;
  std::vector<int> places_;  ///< of this step
};

/// Each step computes the slice at hand and passes it on.
void gather_compute(Steps& steps) {
  for (int step = 0; step < steps.ranks(); ++step) {
    if (step > 0) steps.end_step();
    const int slice = steps.rank_after(-step);
    if (step + 1 < steps.ranks()) steps.permute(slice, steps.rank_after(1));
    steps.compute(slice);
  }
}

/// Each step passes the sum of the step before on, computes the next slice, and adds the two.
void compute_scatter(Steps& steps) {
  for (int step = 0; step < steps.ranks(); ++step) {
    if (step > 0) steps.end_step();
    const int slice = steps.rank_after(-step - 1);
    if (step > 0) steps.permute(steps.rank_after(-step), steps.rank_after(1));
    steps.compute(slice);
    if (step > 0) steps.add(slice, steps.rank_after(-1));
  }
}

void gather_sums(Steps& steps) {
  for (int step = 0; step + 1 < steps.ranks(); ++step) {
    steps.end_step();
    steps.permute(steps.rank_after(-step), steps.rank_after(1));
  }
}

/// Each step sends the slice of the step before to its owner, one rank further every time.
void compute_exchange(Steps& steps) {
  for (int step = 0; step < steps.ranks(); ++step) {
    if (step > 0) steps.end_step();
    if (step > 0) steps.permute(steps.rank_after(step), steps.rank_after(step));
    steps.compute(steps.rank_after(step + 1));
  }
}

Program program(const ProgramShape& shape, int rank) {
  Steps steps(shape, rank);
  switch (shape.pair) {
    case Pair::gather_compute:
      gather_compute(steps);
      break;
    case Pair::compute_scatter:
      compute_scatter(steps);
      break;
    case Pair::compute_reduce:
      compute_scatter(steps);
      gather_sums(steps);
      break;
    case Pair::compute_exchange:
      compute_exchange(steps);
      break;
  }
  return steps.take();
}

}  // namespace

/// Wang et al., "Overlap Communication with Dependent Computation via Decomposition in Large Deep
/// Learning Models", ASPLOS'23. Each permute runs beside the computation of its step; all ranks
/// finish a step before any of them begins the next (arXiv 2604.24013's reading of it). Equal
/// ranks, times of one slice: gather (T-1) max(Tc, Tp) + Tc; scatter Tc + (T-1) (max(Tc, Tp) + Ta);
/// reduce as scatter, then (T-1) Tp; exchange Tc + (T-1) max(Tc, Tp).
const Strategy& decompose() {
  static constexpr Strategy strategy{
      "decompose", "a ring of collective-permutes, all ranks in step (Wang et al., ASPLOS'23)",
      natural_slices, refusal, program};
  return strategy;
}

}  // namespace tradewind::lowering
