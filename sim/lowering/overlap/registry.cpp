#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include "sim/lowering/overlap/strategy.h"
#include "sim/scenario/overlap.h"

namespace tradewind::lowering {

std::span<const Strategy> strategies() {
  static const std::array all{vanilla(), slicing(), decompose(), flash()};
  static_assert(std::tuple_size_v<decltype(all)> == scenario::kOverlapStrategyNames.size());
  return all;
}

const Strategy& find_strategy(std::string_view name) {
  const auto found = std::ranges::find(strategies(), name, &Strategy::name);
  if (found == strategies().end()) throw std::invalid_argument("no strategy of that name");
  return *found;
}

}  // namespace tradewind::lowering
