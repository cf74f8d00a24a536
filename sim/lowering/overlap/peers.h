#pragma once

namespace tradewind::lowering {

/// Rounds 0 .. ranks - 2 in which every rank sends to each other rank once and receives from each
/// once. An even number of ranks plays a round-robin tournament by the circle method, two partners
/// exchanging both ways (arXiv 2604.24013, appendix A: four ranks play AB CD, AC BD, AD BC); an odd
/// number, where one would sit out each round, shifts: round i sends i + 1 ranks further.
struct Round {
  int to;
  int from;  ///< the same as `to` in a tournament
};
Round pairwise_round(int ranks, int round, int rank);

}  // namespace tradewind::lowering
