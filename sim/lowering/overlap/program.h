#pragma once

#include <vector>

namespace tradewind::lowering {

/// A computation and the collective before or after it, as strategies take them apart: symbols of
/// arXiv 2604.24013 are T (ranks) and N (slices).
enum class Pair {
  gather_compute,    ///< all-gather, then a computation over the gathered rows
  compute_scatter,   ///< a computation, then reduce-scatter of its rows
  compute_reduce,    ///< a computation, then all-reduce of its rows
  compute_exchange,  ///< attention over all queries, then all-to-all of its rows (Ulysses)
};

/// Who talks to whom when ranks exchange slices directly.
enum class Exchange {
  ring,      ///< every rank sends to the next; slices are forwarded
  pairwise,  ///< every slice goes straight to the rank that needs it, a different peer each round
};

/// What one operation of a rank does with one slice.
enum class OpKind {
  compute,  ///< the sliced computation, on the compute stream
  add,      ///< adds what a peer sent to the own partial result, on the compute stream
  send,     ///< moves one slice to `peer`, on a communication lane; the peer's receipt is its end
  collective,  ///< the collective over one slice, all ranks together, on a communication lane
  barrier,     ///< all ranks wait for each other, on communication lane 0; moves nothing
};

/// An operation of some rank, by its place in that rank's program.
struct OpRef {
  int rank;
  int op;
};

struct Op {
  OpKind kind = OpKind::compute;
  int slice = 0;             ///< of the whole sequence of rows, 0 .. slices - 1
  int peer = -1;             ///< send: the receiver
  int lane = 0;              ///< send and collective: which of the rank's communication streams
  std::vector<OpRef> after;  ///< waits for these, beyond what is before it in its stream
};

/// All that one rank does, in the order in which it issues it. Programs of one shape are alike: the
/// k-th operation of every rank has the same kind and lane, and waits for the same places of the
/// programs of (other) ranks. So one rank stands for all where all are equally fast.
using Program = std::vector<Op>;

struct ProgramShape {
  Pair pair = Pair::compute_scatter;
  int ranks = 1;   ///< T >= 2
  int slices = 1;  ///< N >= 1 of the whole sequence of rows
  Exchange exchange = Exchange::ring;
  int lanes =
      1;  ///< communication streams of a rank; round i of a pairwise exchange uses i % lanes

  bool operator==(const ProgramShape&) const = default;
};

}  // namespace tradewind::lowering
