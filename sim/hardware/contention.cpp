#include "sim/hardware/contention.h"

namespace tradewind::hardware {

Contention read_contention(FigureReader section) {
  constexpr json::Range kShare{0, 1};
  // The engine accepts weights from 1e-6 to 1e6.
  constexpr json::Range kAhead{1, 1e6};
  constexpr json::Range kBehind{1e-6, 1};
  Contention contention;
  contention.copy_engine_start_s = section.number("copy_engine_start_s", json::kNotNegative);
  contention.copy_engine_efficiency = section.number("copy_engine_efficiency", kShare);
  contention.collective_power_share = section.number("collective_power_share", kShare);
  contention.copy_engine_power_share = section.number("copy_engine_power_share", kShare);
  contention.prioritised_weight = section.number("prioritised_weight", kAhead);
  contention.unprioritised_weight = section.number("unprioritised_weight", kBehind);
  section.finish();
  return contention;
}

}  // namespace tradewind::hardware
