#include "sim/lowering/chain.h"

#include <random>

#include "tests/catch.h"

using namespace tradewind;
using lowering::ChainTime;

namespace {

ChainTime kernel(std::int64_t launch, std::int64_t device) {
  return ChainTime::of(Time{launch}, Time{device});
}

/// The recurrence that ChainTime folds, kernel by kernel.
Time step_by_step(const std::vector<std::pair<std::int64_t, std::int64_t>>& kernels) {
  std::int64_t host = 0, device = 0;
  for (const auto& [launch, work] : kernels) {
    host += launch;
    device = std::max(host, device) + work;
  }
  return Time{device};
}

}  // namespace

TEST_CASE("a replayed graph takes the sum of its kernels") {
  const ChainTime chain = kernel(0, 7) + kernel(0, 5) + kernel(0, 11);
  CHECK(chain.duration() == Time{23});
  CHECK(chain.repeated(4).duration() == Time{92});
}

TEST_CASE("an eager chain is bound by its host when kernels are shorter than launches") {
  // Ten launches of 5, then the last kernel of 1.
  CHECK(kernel(5, 1).repeated(10).duration() == Time{51});
}

TEST_CASE("an eager chain is bound by its device when kernels are longer than launches") {
  // The first launch of 5, then ten kernels of 8.
  CHECK(kernel(5, 8).repeated(10).duration() == Time{85});
}

TEST_CASE("folding a random eager chain equals stepping through its kernels") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::pair<std::int64_t, std::int64_t>> head, layer, tail, all;
    const auto draw = [&](auto& kernels) {
      for (std::uint64_t i = 0, n = 1 + random() % 6; i < n; ++i) {
        kernels.emplace_back(random() % 20, random() % 20);
      }
    };
    draw(head), draw(layer), draw(tail);
    const int repeats = 1 + static_cast<int>(random() % 9);
    const auto fold = [](const auto& kernels) {
      ChainTime chain;
      for (const auto& [launch, device] : kernels) chain = chain + kernel(launch, device);
      return chain;
    };
    all = head;
    for (int i = 0; i < repeats; ++i) all.insert(all.end(), layer.begin(), layer.end());
    all.insert(all.end(), tail.begin(), tail.end());
    CHECK((fold(head) + fold(layer).repeated(repeats) + fold(tail)).duration() ==
          step_by_step(all));
  }
}
