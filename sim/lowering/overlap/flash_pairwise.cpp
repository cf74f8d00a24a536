#include "sim/lowering/overlap/flash_schedules.h"
#include "sim/lowering/overlap/peers.h"
#include "sim/lowering/overlap/program_writer.h"

namespace tradewind::lowering {
namespace {

/// Places of the sends by round and part: sent[round * m + part].
using Places = std::vector<int>;

int parts(const ProgramShape& shape) {
  return shape.slices / shape.ranks;
}

std::size_t index(const ProgramShape& shape, int round, int part) {
  const int at = round * parts(shape) + part;
  return static_cast<std::size_t>(at);
}

/// Adds what each peer sent to the own slices, round by round: that is how they arrive. Returns
/// where each part is complete.
Places add_received(const ProgramShape& shape, int rank, const Places& sent,
                    ProgramWriter& writer) {
  Places complete(static_cast<std::size_t>(parts(shape)));
  for (int round = 0; round + 1 < shape.ranks; ++round) {
    const int from = pairwise_round(shape.ranks, round, rank).from;
    for (int part = 0; part < parts(shape); ++part) {
      complete[static_cast<std::size_t>(part)] =
          writer.add(rank * parts(shape) + part, {{from, sent[index(shape, round, part)]}});
    }
  }
  return complete;
}

void send_sums(const ProgramShape& shape, int rank, const Places& complete, ProgramWriter& writer) {
  for (int round = 0; round + 1 < shape.ranks; ++round) {
    const int to = pairwise_round(shape.ranks, round, rank).to;
    for (int part = 0; part < parts(shape); ++part) {
      writer.send(rank * parts(shape) + part, to, round % shape.lanes,
                  writer.own(complete[static_cast<std::size_t>(part)]));
    }
  }
}

/// Computes the shard of each peer and sends it there, then computes the own shard.
Places compute_for_peers(const ProgramShape& shape, int rank, const std::vector<int>& peers,
                         ProgramWriter& writer) {
  Places sent;
  for (int round = 0; round < shape.ranks; ++round) {
    const bool last = round + 1 == shape.ranks;
    const int owner = last ? rank : peers[static_cast<std::size_t>(round)];
    for (int part = 0; part < parts(shape); ++part) {
      const int slice = owner * parts(shape) + part;
      const int computed = writer.compute(slice);
      if (last) continue;
      sent.push_back(writer.send(slice, owner, round % shape.lanes, writer.own(computed)));
    }
  }
  return sent;
}

}  // namespace

Program flash_pairwise_gather(const ProgramShape& shape, int rank) {
  ProgramWriter writer(shape, rank);
  Places sent;
  for (int round = 0; round < shape.ranks; ++round) {
    // The shard of the round before has arrived, or is on its way, while the own one leaves.
    const int owner = round == 0 ? rank : pairwise_round(shape.ranks, round - 1, rank).from;
    for (int part = 0; part < parts(shape); ++part) {
      if (round + 1 < shape.ranks) {
        sent.push_back(writer.send(rank * parts(shape) + part,
                                   pairwise_round(shape.ranks, round, rank).to,
                                   round % shape.lanes));
      }
      ProgramWriter::After here;
      if (round > 0) here = {{owner, sent[index(shape, round - 1, part)]}};
      writer.compute(owner * parts(shape) + part, std::move(here));
    }
  }
  return writer.take();
}

Program flash_pairwise_scatter(const ProgramShape& shape, int rank) {
  ProgramWriter writer(shape, rank);
  std::vector<int> peers;
  for (int round = 0; round + 1 < shape.ranks; ++round) {
    peers.push_back(pairwise_round(shape.ranks, round, rank).to);
  }
  const Places sent = compute_for_peers(shape, rank, peers, writer);
  const Places complete = add_received(shape, rank, sent, writer);
  if (shape.pair == Pair::compute_reduce) send_sums(shape, rank, complete, writer);
  return writer.take();
}

Program flash_all_to_all(const ProgramShape& shape, int rank) {
  ProgramWriter writer(shape, rank);
  std::vector<int> peers;
  for (int step = 0; step + 1 < shape.ranks; ++step) {
    peers.push_back(around(rank, step + 1, shape.ranks));
  }
  compute_for_peers(shape, rank, peers, writer);
  return writer.take();
}

}  // namespace tradewind::lowering
