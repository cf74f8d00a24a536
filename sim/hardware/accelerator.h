#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "sim/core/data_type.h"
#include "sim/hardware/coefficients.h"
#include "sim/hardware/contention.h"
#include "sim/hardware/figure.h"
#include "sim/json/reader.h"

namespace tradewind::hardware {

/// One number for each data type; 0 = not supported or not known.
using ByDataType = std::array<double, kDataTypeCount>;

/// What one large product of m x n x k sustained on the part itself; all 0 where nobody measured.
struct SustainedProduct {
  double m = 0, n = 0, k = 0;
  ByDataType peak_share{};
};

/// Facts of one accelerator. Rates are dense peaks of the datasheet, units as named.
struct Accelerator {
  std::string name;
  std::string title;         ///< as its vendor calls it
  std::string vendor;        ///< "amd" or "nvidia"
  std::string architecture;  ///< "CDNA3 (gfx942)", "Hopper (sm_90)" ...
  int compute_units = 0;     ///< CUs or SMs
  double clock_hz = 0;       ///< the clock of the tensor peaks
  ByDataType flops_per_clock_per_compute_unit{};
  ByDataType peak_flops_per_s{};
  double hbm_nominal_bytes = 0;   ///< as sold
  double hbm_capacity_bytes = 0;  ///< as the driver reports it
  double hbm_bandwidth_bytes_per_s = 0;
  int chiplets = 1;  ///< compute dies; on AMD parts each has its own share of the L2
  double l2_bytes = 0;
  double last_level_cache_bytes = 0;  ///< Infinity Cache; L2 where there is none behind it
  double shared_memory_bytes_per_compute_unit = 0;
  double board_power_w = 0;
  double price_usd_per_hour = 0;  ///< 0 = unknown
  double launch_eager_s = 0;      ///< between small kernels launched one by one
  double launch_graph_s = 0;      ///< between small kernels of a replayed graph
  Contention contention;          ///< of communication with computation
  SustainedProduct sustained;     ///< that carried over products are held to
  std::string kernels_from;       ///< whose coefficients stand in for missing ones; empty = none's
  std::vector<CoefficientSet> coefficients;  ///< own ones first, then carried over ones
  Figures figures;

  double peak(DataType type) const { return peak_flops_per_s[static_cast<std::size_t>(type)]; }
};

/// Reads a profile of hardware/accelerators as it stands (`kernels_from` is the loader's work).
/// Throws InputError on anything unknown, missing or out of range.
Accelerator read_accelerator(const json::Node& profile);

}  // namespace tradewind::hardware
