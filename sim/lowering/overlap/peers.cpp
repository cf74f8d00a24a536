#include "sim/lowering/overlap/peers.h"

#include "sim/lowering/overlap/program_writer.h"

namespace tradewind::lowering {
namespace {

/// The last rank stays in place, the others sit on a circle of ranks - 1 seats. In a round partners
/// are those whose seats add up to round + 1; who would play alone plays the last rank.
int tournament_partner(int ranks, int round, int rank) {
  const int seats = ranks - 1;
  // ranks / 2 halves on the circle: 2 (ranks / 2) = ranks = 1 modulo seats.
  if (rank == seats) return (round + 1) * (ranks / 2) % seats;
  const int partner = around(round + 1, -rank, seats);
  return partner == rank ? seats : partner;
}

}  // namespace

Round pairwise_round(int ranks, int round, int rank) {
  if (ranks % 2 == 0) {
    const int partner = tournament_partner(ranks, round, rank);
    return {partner, partner};
  }
  return {around(rank, round + 1, ranks), around(rank, -round - 1, ranks)};
}

}  // namespace tradewind::lowering
