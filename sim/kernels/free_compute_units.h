#pragma once

#include <algorithm>

#include "sim/kernels/operation.h"

namespace tradewind::kernels {

/// The compute units that other kernels leave, at least one.
inline double free_compute_units(const KernelMachine& machine) {
  return std::max(1.0, machine.accelerator.compute_units * machine.compute_units_free);
}

}  // namespace tradewind::kernels
