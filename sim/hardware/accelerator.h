#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "sim/core/data_type.h"
#include "sim/core/provenance.h"

namespace tradewind::hardware {

/// One figure of a profile with what it stands on, kept for `tradewind show`.
struct Figure {
  double value;
  std::string kind;    ///< datasheet, measured, secondary, derived, fitted, assumed
  std::string source;  ///< who says so
};

/// Fitted coefficients of one operation as one library runs it at one data type.
struct CoefficientSet {
  std::string op;       ///< gemm, attention_prefill, all_reduce ... (kernels::operations())
  std::string library;  ///< vllm, trtllm, aiter, nccl ... as in the kernel CSVs
  std::string dtype;    ///< bf16, fp8, fp8-block ...; "any" where it does not matter
  std::map<std::string, double> values;
  Provenance provenance = Provenance::fitted;
  std::string source;
};

/// Facts of one accelerator. Rates are dense peaks of the datasheet, units as named.
struct Accelerator {
  std::string name;
  std::string vendor;        ///< "amd" or "nvidia"
  std::string architecture;  ///< "CDNA3", "Hopper" ...
  int compute_units = 0;     ///< CUs or SMs
  double clock_hz = 0;
  std::array<double, kDataTypeCount> peak_flops_per_s{};  ///< by DataType; 0 = not supported
  double hbm_capacity_bytes = 0;  ///< as the driver reports it
  double hbm_bandwidth_bytes_per_s = 0;
  double l2_bytes = 0;
  double last_level_cache_bytes = 0;  ///< Infinity Cache; L2 where there is none behind it
  double price_usd_per_hour = 0;      ///< 0 = unknown
  std::vector<CoefficientSet> coefficients;
  std::map<std::string, Figure> figures;  ///< every figure by its dotted path in the profile

  double peak(DataType type) const { return peak_flops_per_s[static_cast<std::size_t>(type)]; }
};

}  // namespace tradewind::hardware
