#include "sim/scenario/plan.h"

#include <cstddef>

namespace tradewind::scenario {

std::vector<int> stage_layers(int layers, int stages) {
  std::vector<int> counts(static_cast<std::size_t>(stages), layers / stages);
  if (layers % stages == 0) return counts;
  if ((layers + 2) % stages == 0 && stages > 1) {
    counts.assign(counts.size(), (layers + 2) / stages);
    --counts.front();
    --counts.back();
    return counts;
  }
  const int remainder = layers % stages;
  const auto first = static_cast<std::size_t>((stages - remainder) / 2);
  const auto end = first + static_cast<std::size_t>(remainder);
  for (std::size_t stage = first; stage < end; ++stage) ++counts[stage];
  return counts;
}

}  // namespace tradewind::scenario
