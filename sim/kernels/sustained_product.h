#pragma once

#include <vector>

#include "sim/hardware/accelerator.h"

namespace tradewind::kernels {

/// Holds coefficients of gemm_parameters(), carried over from another device, to the product that
/// `device` was measured with: its matrix_efficiency becomes the one that gives the share of the
/// peak that the product sustained, memory left aside. Shares of a peak do not carry over by
/// themselves: what clock the power budget lets busy matrix units hold is a part's own affair (ROCm
/// blog, "Measuring Max-Achievable FLOPs", part 2: 1.21 GHz of 2.1 on MI300X at 750 W, 1.45 on
/// MI325X at 1000 W). Nothing changes where no product of that data type was measured.
void hold_to_sustained(std::vector<double>& coefficients, const hardware::Accelerator& device,
                       DataType type);

}  // namespace tradewind::kernels
