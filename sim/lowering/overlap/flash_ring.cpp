#include "sim/lowering/overlap/flash_schedules.h"
#include "sim/lowering/overlap/program_writer.h"

namespace tradewind::lowering {
namespace {

struct Ring {
  Ring(const ProgramShape& shape, int own_rank)
      : ranks(shape.ranks),
        parts(shape.slices / shape.ranks),
        rank(own_rank),
        next(around(rank, 1, ranks)),
        previous(around(rank, -1, ranks)) {}

  int slice(int step, int part) const { return around(rank, -step, ranks) * parts + part; }

  int ranks;
  int parts;  ///< m, slices a rank
  int rank;
  int next;
  int previous;
};

/// Places by part of a shard.
using Places = std::vector<int>;

/// Returns where the own slices are complete.
Places scatter(const Ring& ring, ProgramWriter& writer) {
  Places sent(static_cast<std::size_t>(ring.parts));
  Places complete = sent;
  for (int step = 0; step < ring.ranks; ++step) {
    for (int part = 0; part < ring.parts; ++part) {
      const auto at = static_cast<std::size_t>(part);
      const int slice = ring.slice(step + 1, part);
      complete[at] = writer.compute(slice);
      if (step > 0) complete[at] = writer.add(slice, {{ring.previous, sent[at]}});
      if (step + 1 == ring.ranks) continue;
      sent[at] = writer.send(slice, ring.next, 0, writer.own(complete[at]));
    }
  }
  return complete;
}

void gather_sums(const Ring& ring, const Places& complete, ProgramWriter& writer) {
  Places sent(complete.size());
  for (int step = 0; step + 1 < ring.ranks; ++step) {
    for (int part = 0; part < ring.parts; ++part) {
      const auto at = static_cast<std::size_t>(part);
      const OpRef ready = step == 0 ? OpRef{ring.rank, complete[at]}  //
                                    : OpRef{ring.previous, sent[at]};
      sent[at] = writer.send(ring.slice(step, part), ring.next, 0, {ready});
    }
  }
}

}  // namespace

Program flash_ring_gather(const ProgramShape& shape, int rank) {
  const Ring ring(shape, rank);
  ProgramWriter writer(shape, rank);
  Places sent(static_cast<std::size_t>(ring.parts));
  for (int step = 0; step < ring.ranks; ++step) {
    for (int part = 0; part < ring.parts; ++part) {
      const auto at = static_cast<std::size_t>(part);
      const int slice = ring.slice(step, part);
      ProgramWriter::After here;
      if (step > 0) here = {{ring.previous, sent[at]}};
      if (step + 1 < ring.ranks) sent[at] = writer.send(slice, ring.next, 0, here);
      writer.compute(slice, here);
    }
  }
  return writer.take();
}

Program flash_ring_scatter(const ProgramShape& shape, int rank) {
  const Ring ring(shape, rank);
  ProgramWriter writer(shape, rank);
  const Places complete = scatter(ring, writer);
  if (shape.pair == Pair::compute_reduce) gather_sums(ring, complete, writer);
  return writer.take();
}

}  // namespace tradewind::lowering
