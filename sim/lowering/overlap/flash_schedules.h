#pragma once

#include "sim/lowering/overlap/program.h"

namespace tradewind::lowering {

/// The schedules of arXiv 2604.24013 for one rank. The rows of a rank, its shard, are m = N / T
/// neighbouring slices; shards follow in the order of the listings, and the slices of a shard one
/// after the other. REQUIRES of all: N is a multiple of T.

/// Flash-AG (Alg. 1): the own shard first, then what the neighbour passes on.
Program flash_ring_gather(const ProgramShape& shape, int rank);
/// Flash-RS (Alg. 2): sums pass along the ring; the shard that stays is computed last. For
/// compute_reduce Flash-AG of the sums follows.
Program flash_ring_scatter(const ProgramShape& shape, int rank);

/// Flash-AG in pairwise rounds: the own shard straight to each peer.
Program flash_pairwise_gather(const ProgramShape& shape, int rank);
/// Flash-RS in pairwise rounds: each peer's shard straight to it, the own shard computed last, then
/// what the peers sent is added. For compute_reduce the sums go to each peer.
Program flash_pairwise_scatter(const ProgramShape& shape, int rank);

/// Flash All-to-All (Alg. 5): each shard straight to its owner, one rank further every time, the
/// own shard computed last. Both exchanges are the same.
Program flash_all_to_all(const ProgramShape& shape, int rank);

}  // namespace tradewind::lowering
