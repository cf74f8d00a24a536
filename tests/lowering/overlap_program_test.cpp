#include <algorithm>
#include <set>
#include <stdexcept>

#include "sim/lowering/overlap/peers.h"
#include "sim/lowering/overlap/program.h"
#include "sim/scenario/overlap.h"
#include "tests/catch.h"
#include "tests/lowering/overlap_data.h"

using namespace tradewind::lowering;

namespace {

constexpr Pair kPairs[] = {Pair::gather_compute, Pair::compute_scatter, Pair::compute_reduce,
                           Pair::compute_exchange};

/// Every shape of 2 to 16 ranks that the strategy accepts, with up to three slices a rank, and one,
/// two and as many lanes as peers.
std::vector<ProgramShape> shapes(const Strategy& strategy) {
  std::vector<ProgramShape> all;
  for (const Pair pair : kPairs) {
    for (int ranks = 2; ranks <= 16; ++ranks) {
      for (int slices = 1; slices <= 3 * ranks; ++slices) {
        if (!strategy.refusal(pair, ranks, slices).empty()) continue;
        for (const Exchange exchange : {Exchange::ring, Exchange::pairwise}) {
          for (const int lanes : std::set{1, 2, ranks - 1}) {
            all.push_back({pair, ranks, slices, exchange, lanes});
          }
        }
      }
    }
  }
  return all;
}

std::string text(const Strategy& strategy, const ProgramShape& shape) {
  return std::string(strategy.name) + ", pair " + std::to_string(static_cast<int>(shape.pair)) +
         ", " + std::to_string(shape.ranks) + " ranks, " + std::to_string(shape.slices) +
         " slices, exchange " + std::to_string(static_cast<int>(shape.exchange)) + ", " +
         std::to_string(shape.lanes) + " lanes";
}

int count(const Program& program, OpKind kind) {
  return static_cast<int>(std::ranges::count(program, kind, &Op::kind));
}

bool alike(const Op& one, const Op& other) {
  return one.kind == other.kind && one.lane == other.lane &&
         std::ranges::equal(one.after, other.after, {}, &OpRef::op, &OpRef::op);
}

/// Slices in the order in which the program computes them.
std::vector<int> computed_slices(const Program& program) {
  std::vector<int> slices;
  for (const Op& op : program) {
    if (op.kind == OpKind::compute) slices.push_back(op.slice);
  }
  return slices;
}

/// The first dependency of that operation dropped.
std::vector<Program> without_dependency(std::vector<Program> programs, std::size_t rank,
                                        std::size_t place) {
  std::vector<OpRef>& after = programs[rank][place].after;
  after.erase(after.begin());
  return programs;
}

}  // namespace

TEST_CASE("the data are right in whatever order streams and dependencies allow") {
  std::mt19937_64 random(11);
  for (const Strategy& strategy : strategies()) {
    for (const ProgramShape& shape : shapes(strategy)) {
      INFO(text(strategy, shape));
      const std::vector<Program> programs = all_programs(strategy, shape);
      for (int order = 0; order < 2; ++order) REQUIRE(wrong_data(shape, programs, random).empty());
    }
  }
}

TEST_CASE("no dependency of a flash program can be spared") {
  std::mt19937_64 random(12);
  for (const Pair pair : kPairs) {
    for (const Exchange exchange : {Exchange::ring, Exchange::pairwise}) {
      const ProgramShape shape{pair, 4, 8, exchange, 3};
      const std::vector<Program> programs = all_programs(flash(), shape);
      for (std::size_t place = 0; place < programs[1].size(); ++place) {
        if (programs[1][place].after.empty()) continue;
        INFO(text(flash(), shape) << ", place " << place);
        const std::vector<Program> broken = without_dependency(programs, 1, place);
        bool found = false;
        for (int order = 0; order < 200 && !found; ++order) {
          found = !wrong_data(shape, broken, random).empty();
        }
        CHECK(found);
      }
    }
  }
}

TEST_CASE("programs of one shape are alike and wait only for earlier places") {
  for (const Strategy& strategy : strategies()) {
    for (const ProgramShape& shape : shapes(strategy)) {
      INFO(text(strategy, shape));
      const std::vector<Program> programs = all_programs(strategy, shape);
      bool all_alike = true, all_earlier = true;
      for (const Program& program : programs) {
        all_alike &= std::ranges::equal(program, programs.front(), alike);
        for (int place = 0; place < static_cast<int>(program.size()); ++place) {
          for (const OpRef ref : program[static_cast<std::size_t>(place)].after) {
            all_earlier &= ref.op < place;
          }
        }
      }
      REQUIRE(all_alike);
      REQUIRE(all_earlier);
    }
  }
}

TEST_CASE("a rank sends what it would send in the ring collective") {
  // All-gather, reduce-scatter and all-to-all: (T-1)/T of the rows; all-reduce: twice that.
  for (const Strategy& strategy : {decompose(), flash()}) {
    for (const ProgramShape& shape : shapes(strategy)) {
      INFO(text(strategy, shape));
      const int passes = shape.pair == Pair::compute_reduce ? 2 : 1;
      for (const Program& program : all_programs(strategy, shape)) {
        REQUIRE(count(program, OpKind::send) * shape.ranks ==
                passes * (shape.ranks - 1) * shape.slices);
        REQUIRE(count(program, OpKind::collective) == 0);
      }
    }
  }
  for (const Strategy& strategy : {vanilla(), slicing()}) {
    for (const ProgramShape& shape : shapes(strategy)) {
      const Program program = strategy.program(shape, 0);
      REQUIRE(count(program, OpKind::collective) == shape.slices);
      REQUIRE(count(program, OpKind::send) == 0);
    }
  }
}

TEST_CASE("flash computes first what is there, and last what stays") {
  for (const ProgramShape& shape : shapes(flash())) {
    INFO(text(flash(), shape));
    const int parts = shape.slices / shape.ranks;
    for (int rank = 0; rank < shape.ranks; ++rank) {
      const std::vector<int> slices = computed_slices(flash().program(shape, rank));
      const int first = shape.pair == Pair::gather_compute ? 0 : shape.slices - parts;
      for (int part = 0; part < parts; ++part) {
        REQUIRE(slices[static_cast<std::size_t>(first + part)] == rank * parts + part);
      }
    }
  }
}

TEST_CASE("decompose keeps all ranks in step, with one permute a step") {
  for (const ProgramShape& shape : shapes(decompose())) {
    const Program program = decompose().program(shape, 0);
    const int steps = shape.ranks - 1 + (shape.pair == Pair::compute_reduce ? shape.ranks - 1 : 0);
    REQUIRE(count(program, OpKind::barrier) == steps);
    REQUIRE(count(program, OpKind::send) == steps);
  }
}

TEST_CASE("flash schedules of four ranks are the listings'") {
  const auto order = [](Pair pair, Exchange exchange, int rank) {
    return computed_slices(flash().program({pair, 4, 4, exchange, 1}, rank));
  };
  CHECK(order(Pair::gather_compute, Exchange::ring, 1) == std::vector{1, 0, 3, 2});    // r - i
  CHECK(order(Pair::compute_scatter, Exchange::ring, 1) == std::vector{0, 3, 2, 1});   // r - i - 1
  CHECK(order(Pair::compute_exchange, Exchange::ring, 1) == std::vector{2, 3, 0, 1});  // r + i + 1
  // Appendix A: AB CD, AC BD, AD BC; seen from B.
  CHECK(order(Pair::compute_scatter, Exchange::pairwise, 1) == std::vector{0, 3, 2, 1});
  CHECK(order(Pair::gather_compute, Exchange::pairwise, 1) == std::vector{1, 0, 3, 2});
}

TEST_CASE("in pairwise rounds everyone meets everyone once") {
  for (int ranks = 2; ranks <= 17; ++ranks) {
    std::set<std::pair<int, int>> met;
    for (int round = 0; round < ranks - 1; ++round) {
      for (int rank = 0; rank < ranks; ++rank) {
        const Round now = pairwise_round(ranks, round, rank);
        met.insert({rank, now.to});
        CHECK(now.to != rank);
        CHECK(pairwise_round(ranks, round, now.to).from == rank);
        if (ranks % 2 == 0) CHECK(now.from == now.to);
      }
    }
    CHECK(met.size() == static_cast<std::size_t>(ranks * (ranks - 1)));
  }
}

TEST_CASE("strategies are found by the names that plans use") {
  for (std::size_t at = 0; at < strategies().size(); ++at) {
    const std::string_view name = tradewind::scenario::kOverlapStrategyNames[at];
    CHECK(strategies()[at].name == name);
    CHECK(find_strategy(name).name == name);
  }
  CHECK_THROWS_AS(find_strategy("hope"), std::invalid_argument);
}

TEST_CASE("each strategy has a natural number of slices, and accepts it") {
  const auto natural = [](const Strategy& strategy) {
    return strategy.natural_slices(Pair::compute_reduce, 8);
  };
  CHECK(natural(vanilla()) == 1);
  CHECK(natural(slicing()) == 4);
  CHECK(natural(decompose()) == 8);
  CHECK(natural(flash()) == 8);
  for (const Strategy& strategy : strategies()) {
    CHECK(strategy.refusal(Pair::compute_reduce, 8, natural(strategy)).empty());
  }
}

TEST_CASE("slices that a strategy cannot make are refused with the reason") {
  const auto refusal = [](const Strategy& strategy, int slices) {
    return strategy.refusal(Pair::compute_scatter, 8, slices);
  };
  CHECK(refusal(vanilla(), 4) == "vanilla does not slice: slices must be 1, not 4");
  CHECK(refusal(slicing(), 0) == "slicing needs at least 1 slice, not 0");
  CHECK(refusal(decompose(), 16) ==
        "decompose permutes one slice a rank: slices must be the number of ranks, 8, not 16");
  for (const int slices : {0, 4, 12}) {
    CHECK(refusal(flash(), slices) ==
          "flash gives every rank as many slices: slices must be a multiple of the number of "
          "ranks, 8, not " +
              std::to_string(slices));
  }
  CHECK(refusal(flash(), 24).empty());
}
