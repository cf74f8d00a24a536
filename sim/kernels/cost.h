#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/core/provenance.h"

namespace tradewind::kernels {

/// What a kernel waits for most.
enum class Bound { compute, memory, latency, network, host };
inline constexpr std::array<std::string_view, 5> kBoundNames = {"compute", "memory", "latency",
                                                                "network", "host"};
constexpr std::string_view to_string(Bound bound) {
  return kBoundNames[static_cast<std::size_t>(bound)];
}

/// The price of one kernel on one device, alone. The engine lets others compete for what it uses.
struct Cost {
  double latency_s = 0;   ///< fixed part, uses nothing (launch, synchronisation, hops)
  double duration_s = 0;  ///< alone, latency included
  double flops = 0;
  double hbm_bytes = 0;
  double wire_bytes = 0;          ///< leaving one device over its links
  double compute_unit_share = 0;  ///< of the device's compute units, 0 to 1, held while running
  double speed_of_light_s = 0;    ///< every resource at its datasheet peak, no latency
  Bound bound = Bound::latency;
  Provenance provenance = Provenance::assumed;
};

}  // namespace tradewind::kernels
