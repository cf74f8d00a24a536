#include "sim/workload/serving/kv_cache.h"

#include <random>

#include "tests/catch.h"

namespace tradewind::workload {
namespace {

Sequence sequence_of(std::int32_t input, std::int32_t prefix = -1, std::int32_t prefix_tokens = 0) {
  Sequence sequence;
  sequence.input_tokens = input;
  sequence.output_tokens = 8;
  sequence.prefix = prefix;
  sequence.prefix_tokens = prefix_tokens;
  return sequence;
}

TEST_CASE("A sequence holds whole blocks, and growing within one takes none") {
  KvCache cache(10, 16, false);
  Sequence sequence = sequence_of(17);
  REQUIRE(cache.grow(sequence, 17));
  CHECK(cache.used_blocks() == 2);
  REQUIRE(cache.grow(sequence, 32));
  CHECK(cache.used_blocks() == 2);
  CHECK_FALSE(cache.grow(sequence, 161));
  CHECK(cache.used_blocks() == 2);  // nothing taken by what did not fit
  cache.release(sequence);
  CHECK(cache.free_blocks() == 10);
}

TEST_CASE("A shared prefix is kept once, found by the next, and leaves when room is needed") {
  KvCache cache(10, 16, true);
  Sequence first = sequence_of(64, 1, 48);
  cache.find_prefix(first);
  CHECK(first.computed == 0);
  REQUIRE(cache.grow(first, 64));
  CHECK(cache.used_blocks() == 4);

  Sequence second = sequence_of(64, 1, 48);
  cache.find_prefix(second);
  CHECK(second.computed == 48);
  REQUIRE(cache.grow(second, 64));
  CHECK(cache.used_blocks() == 5);

  cache.release(first);
  cache.release(second);
  CHECK(cache.used_blocks() == 0);
  Sequence third = sequence_of(64, 1, 48);
  CHECK(cache.found_prefix_tokens(third) == 48);  // idle blocks are still there ...

  Sequence other = sequence_of(150);
  REQUIRE(cache.grow(other, 150));  // ... until all ten are needed
  CHECK(cache.found_prefix_tokens(third) == 0);
}

TEST_CASE("The last token of a prompt is computed even where all of it is cached") {
  KvCache cache(10, 16, true);
  Sequence first = sequence_of(32, 0, 32);
  REQUIRE(cache.grow(first, 32));
  Sequence again = sequence_of(32, 0, 32);
  cache.find_prefix(again);
  CHECK(again.computed == 16);
}

TEST_CASE("Blocks are never lost, never over capacity, and all come back") {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int run = 0; run < 50; ++run) {
    const std::int64_t capacity = draw(5, 60);
    KvCache cache(capacity, 16, draw(0, 1) == 1);
    std::vector<Sequence> live;
    for (int act = 0; act < 400; ++act) {
      if (draw(0, 2) > 0) {
        const int input = draw(1, 300);
        Sequence sequence = sequence_of(input, draw(-1, 4), draw(0, input));
        cache.find_prefix(sequence);
        if (cache.grow(sequence, input))
          live.push_back(sequence);
        else
          cache.release(sequence);
      } else if (!live.empty()) {
        const auto which = static_cast<std::size_t>(draw(0, static_cast<int>(live.size()) - 1));
        cache.release(live[which]);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
      }
      REQUIRE(cache.used_blocks() >= 0);
      REQUIRE(cache.used_blocks() <= capacity);
      for (const Sequence& sequence : live) {
        REQUIRE(sequence.blocks + sequence.shared_blocks ==
                cache.blocks_for(sequence.input_tokens));
      }
    }
    for (Sequence& sequence : live) cache.release(sequence);
    REQUIRE(cache.used_blocks() == 0);
  }
}

}  // namespace
}  // namespace tradewind::workload
