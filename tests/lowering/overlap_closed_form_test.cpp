// The strategies on an ideal machine against algebra: no launch latency, no contention, equal
// ranks, computation linear in its rows. Times of one slice: Tc computes, Tp sends, Ta adds, Tcoll
// is the collective over it; T ranks, N = m T slices, L lanes. Forms of ../shared/seeds/
// flashoverlap.md, section 3, and what follows from the same recurrences: time is the longest path
// through "starts when the one before in its stream and what it waits for have finished".
#include <algorithm>
#include <random>

#include "tests/catch.h"
#include "tests/lowering/overlap_data.h"
#include "tests/lowering/overlap_simulation.h"

using namespace tradewind::lowering;

namespace {

constexpr int kCases = 1000;

struct Case {
  int ranks;
  int parts;  ///< m
  int lanes;
  Times times;
};

/// Half of the cases compute longer than they send.
Case draw(std::mt19937_64& random) {
  const auto up_to = [&](int most) { return 1 + static_cast<int>(random() % most); };
  const int ranks = 1 + up_to(15);
  return {ranks,
          1 + up_to(2),
          up_to(ranks - 1),
          {up_to(1'000'000), up_to(1'000'000), up_to(1'000'000), up_to(1'000'000)}};
}

/// All ranks; that one rank stands for them all is checked on the way.
Simulated simulated(const Strategy& strategy, const ProgramShape& shape, const Times& times) {
  const std::vector<Program> programs = all_programs(strategy, shape);
  const Simulated all = simulate(programs, shape.lanes, times);
  const Simulated one = simulate(folded(programs), shape.lanes, times);
  REQUIRE(one.makespan == all.makespan);
  REQUIRE(one.exposed == all.exposed);
  return all;
}

int slices(const Case& at) {
  return at.ranks * at.parts;
}

/// With communication free, N slices are computed, and T - 1 parts added to each kept slice.
Ps computing(Pair pair, const Case& at) {
  const bool adds = pair == Pair::compute_scatter || pair == Pair::compute_reduce;
  return slices(at) * at.times.compute + (adds ? (at.ranks - 1) * at.parts * at.times.add : 0);
}

void check(const Strategy& strategy, Pair pair, Exchange exchange, const Case& at, Ps makespan) {
  const ProgramShape shape{pair, at.ranks, slices(at), exchange, at.lanes};
  INFO(strategy.name << ", pair " << static_cast<int>(pair) << ", " << at.ranks << " ranks, "
                     << slices(at) << " slices, " << at.lanes << " lanes, Tc " << at.times.compute
                     << ", Tp " << at.times.send << ", Ta " << at.times.add);
  const Simulated result = simulated(strategy, shape, at.times);
  REQUIRE(result.makespan == makespan);
  REQUIRE(result.exposed == makespan - computing(pair, at));
}

Case with(Case at, int parts, int lanes) {
  at.parts = parts;
  at.lanes = lanes;
  return at;
}

/// The end of send k (of round k / m) where send k leaves once the slices 0 .. k are computed:
/// round i is on lane i % L, so a send waits there for all m sends of every L-th round before it.
Ps end_of_send(const Case& at, int k) {
  Ps end = 0;
  for (int j = 0; j <= k; ++j) {
    const int rounds_between = k / at.parts - j / at.parts;
    if (rounds_between % at.lanes != 0) continue;
    const int sends = rounds_between / at.lanes * at.parts + k % at.parts - j % at.parts + 1;
    end = std::max(end, (j + 1) * at.times.compute + sends * at.times.send);
  }
  return end;
}

/// The slices of round i + 1 are those that the sends of round i bring, which wait for nothing but
/// their lane.
Ps pairwise_gather(const Case& at) {
  const int count = slices(at);
  Ps end = count * at.times.compute;
  for (int k = 0; k < count - at.parts; ++k) {
    const int sends = k / at.parts / at.lanes * at.parts + k % at.parts + 1;
    end = std::max(end, sends * at.times.send + (count - at.parts - k) * at.times.compute);
  }
  return end;
}

/// After all computation, adds follow one another in the order in which the sends end.
Ps pairwise_scatter(const Case& at) {
  const int sends = slices(at) - at.parts;
  Ps end = computing(Pair::compute_scatter, at);
  for (int k = 0; k < sends; ++k) {
    end = std::max(end, end_of_send(at, k) + (sends - k) * at.times.add);
  }
  return end;
}

/// m = 1: the seed's form. m > 1: the longest of three paths. All on the compute stream; the first
/// slice sent alone, then the compute stream; the ring's lane from the first slice to the last.
/// Paths that change more often are never longer, as Tp > m Tc + (m-1) Ta and Ta > (m-1) Tp cannot
/// hold together.
Ps ring_scatter(const Case& at) {
  const auto [compute, send, add, collective] = at.times;
  const int others = slices(at) - at.parts;
  if (at.parts == 1) return compute + others * (std::max(compute, send) + add);
  return std::max({slices(at) * compute + others * add, others * (compute + add) + send,
                   compute + others * send + add});
}

/// The ring's lane runs through from the start, or the compute stream does.
Ps ring_gather(const Case& at) {
  return std::max(slices(at) * at.times.compute,
                  (slices(at) - at.parts) * at.times.send + at.times.compute);
}

template <typename Check>
void for_random_cases(std::uint64_t seed, Check&& check_case) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < kCases; ++i) check_case(draw(random));
}

}  // namespace

TEST_CASE("vanilla hides nothing: N Tc + Tcoll") {
  for_random_cases(1, [](const Case& at) {
    Times whole = at.times;
    whole.compute *= slices(at);
    for (const Pair pair : {Pair::gather_compute, Pair::compute_scatter, Pair::compute_reduce,
                            Pair::compute_exchange}) {
      const Simulated result = simulated(vanilla(), {pair, at.ranks, 1, Exchange::ring, 1}, whole);
      REQUIRE(result.makespan == slices(at) * at.times.compute + at.times.collective);
      REQUIRE(result.exposed == at.times.collective);
    }
  });
}

TEST_CASE("slicing leaves the collective of one chunk: Tc + (n-1) max(Tc, Tcoll) + Tcoll") {
  for_random_cases(2, [](const Case& at) {
    const int chunks = slices(at);
    const Ps compute = at.times.compute, collective = at.times.collective;
    for (const Pair pair : {Pair::gather_compute, Pair::compute_scatter, Pair::compute_reduce,
                            Pair::compute_exchange}) {
      const Simulated result =
          simulated(slicing(), {pair, at.ranks, chunks, Exchange::ring, 1}, at.times);
      REQUIRE(result.makespan ==
              compute + (chunks - 1) * std::max(compute, collective) + collective);
      REQUIRE(result.exposed == result.makespan - chunks * compute);
      REQUIRE(result.exposed >= collective);
    }
  });
}

TEST_CASE("decompose takes T - 1 steps of max(Tc, Tp), and adds where it sums") {
  for_random_cases(3, [](const Case& any) {
    const Case at = with(any, 1, 1);
    const auto [compute, send, add, collective] = at.times;
    const Ps steps = at.ranks - 1, step = std::max(compute, send);
    const Ps scatter = compute + steps * (step + add);
    check(decompose(), Pair::gather_compute, Exchange::ring, at, steps * step + compute);
    check(decompose(), Pair::compute_scatter, Exchange::ring, at, scatter);
    check(decompose(), Pair::compute_reduce, Exchange::ring, at, scatter + steps * send);
    check(decompose(), Pair::compute_exchange, Exchange::ring, at, compute + steps * step);
  });
}

TEST_CASE("flash on a ring takes the published schedule's closed forms") {
  for_random_cases(4, [](const Case& any) {
    const Case at = with(any, 1, 1);
    const auto [compute, send, add, collective] = at.times;
    const Ps steps = at.ranks - 1;
    const Ps gather = steps * std::max(compute, send) + compute;
    const Ps scatter = compute + steps * std::max(compute + add, send + add);
    check(flash(), Pair::gather_compute, Exchange::ring, at, gather);
    check(flash(), Pair::compute_scatter, Exchange::ring, at, scatter);
    check(flash(), Pair::compute_reduce, Exchange::ring, at, scatter + steps * send);
    const Ps exposed = steps * std::max<Ps>(0, send - compute);
    REQUIRE(gather - computing(Pair::gather_compute, at) == exposed);
    REQUIRE(scatter - computing(Pair::compute_scatter, at) == exposed);
  });
}

TEST_CASE("flash all-to-all over a link each exposes at most one send") {
  for_random_cases(5, [](const Case& any) {
    const Case at = with(any, 1, any.ranks - 1);
    const auto [compute, send, add, collective] = at.times;
    const Ps makespan = at.ranks * compute + std::max<Ps>(0, send - compute);
    check(flash(), Pair::compute_exchange, Exchange::ring, at, makespan);
    check(flash(), Pair::compute_exchange, Exchange::pairwise, at, makespan);
    // One link for all: as a ring.
    check(flash(), Pair::compute_exchange, Exchange::pairwise, with(at, 1, 1),
          std::max(at.ranks * compute, compute + (at.ranks - 1) * send));
  });
}

TEST_CASE("flash in pairwise rounds over a link each") {
  for_random_cases(6, [](const Case& any) {
    const Case at = with(any, 1, any.ranks - 1);
    const auto [compute, send, add, collective] = at.times;
    const Ps peers = at.ranks - 1;
    // All shards arrive at Tp.
    check(flash(), Pair::gather_compute, Exchange::pairwise, at,
          peers * compute + std::max(compute, send));
    // Send i ends at (i + 1) Tc + Tp. The first, or the last, holds up the adds.
    const Ps scatter = std::max({at.ranks * compute + peers * add, compute + send + peers * add,
                                 peers * compute + send + add});
    check(flash(), Pair::compute_scatter, Exchange::pairwise, at, scatter);
    check(flash(), Pair::compute_reduce, Exchange::pairwise, at, scatter + send);
  });
}

TEST_CASE("flash in pairwise rounds over one link") {
  for_random_cases(7, [](const Case& any) {
    const Case at = with(any, 1, 1);
    const auto [compute, send, add, collective] = at.times;
    const Ps peers = at.ranks - 1;
    check(flash(), Pair::gather_compute, Exchange::pairwise, at,
          peers * std::max(compute, send) + compute);
    // From the first slice on, one of the three streams of work runs through.
    const Ps scatter = std::max({at.ranks * compute + peers * add, compute + peers * send + add,
                                 peers * compute + send + add, compute + send + peers * add});
    check(flash(), Pair::compute_scatter, Exchange::pairwise, at, scatter);
    check(flash(), Pair::compute_reduce, Exchange::pairwise, at, scatter + peers * send);
  });
}

TEST_CASE("flash with several slices a rank, over any number of lanes") {
  for_random_cases(8, [](const Case& at) {
    check(flash(), Pair::gather_compute, Exchange::ring, at, ring_gather(at));
    check(flash(), Pair::compute_scatter, Exchange::ring, at, ring_scatter(at));
    check(flash(), Pair::gather_compute, Exchange::pairwise, at, pairwise_gather(at));
    check(flash(), Pair::compute_scatter, Exchange::pairwise, at, pairwise_scatter(at));
  });
}

TEST_CASE("flash all-to-all with several slices a rank ends with the last send of some lane") {
  for_random_cases(9, [](const Case& at) {
    Ps makespan = slices(at) * at.times.compute;
    for (int k = 0; k < slices(at) - at.parts; ++k) {
      makespan = std::max(makespan, end_of_send(at, k));
    }
    check(flash(), Pair::compute_exchange, Exchange::pairwise, at, makespan);
  });
}

TEST_CASE("flash with several slices a rank spreads the sums after the last of them") {
  // The busiest lane moves c m slices, all at the earliest once its part is complete and at the
  // latest once all are: the last part is complete when the scatter ends, and then at most c m and
  // at least c m - (m - 1) are to be sent.
  for_random_cases(10, [](const Case& at) {
    const auto check_bounds = [&](Exchange exchange, Ps scatter, int rounds) {
      const ProgramShape shape{Pair::compute_reduce, at.ranks, slices(at), exchange, at.lanes};
      const Ps sums = simulated(flash(), shape, at.times).makespan - scatter;
      REQUIRE(sums <= rounds * at.parts * at.times.send);
      REQUIRE(sums >= (rounds * at.parts - at.parts + 1) * at.times.send);
    };
    check_bounds(Exchange::ring, ring_scatter(at), at.ranks - 1);
    check_bounds(Exchange::pairwise, pairwise_scatter(at), (at.ranks - 2) / at.lanes + 1);
  });
}
