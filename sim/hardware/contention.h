#pragma once

#include "sim/hardware/figure_reader.h"

namespace tradewind::hardware {

/// What moving data costs the computation beside it, and what moves data at no cost of compute
/// units. How many units a communication kernel holds belongs to the library, not to the part: it
/// is a coefficient of its collectives.
struct Contention {
  /// From the request to the first byte of a transfer by copy engine (SDMA, CE), without the
  /// link's latency.
  double copy_engine_start_s = 0;
  /// Share of the pair's link (mesh) or of the port (star) that a copy engine fills; 0 = the part
  /// has none that reach peers.
  double copy_engine_efficiency = 0;
  /// Share of the device's power that moving data at full rate over all links takes, of what a
  /// matrix product draws that runs alone at the limit.
  double collective_power_share = 0;   ///< by kernels
  double copy_engine_power_share = 0;  ///< by copy engines
  /// Weights, in the sharing of resources, of a communication kernel beside a kernel of weight 1
  /// that computes. With priority it gets its units first; but where power limits the product, both
  /// run at one clock, which no priority raises: then 1, equal speeds. Without, it waits for units.
  double prioritised_weight = 1000;
  double unprioritised_weight = 1;
};

/// The section `contention` of an accelerator's profile, whole.
Contention read_contention(FigureReader section);

}  // namespace tradewind::hardware
