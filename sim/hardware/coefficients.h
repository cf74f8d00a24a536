#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/provenance.h"
#include "sim/hardware/figure.h"
#include "sim/json/reader.h"

namespace tradewind::hardware {

/// How far a fit is from what was measured: |predicted / measured - 1| over `points` kernels.
struct FitError {
  int points = 0;
  double median = 0;
  double p90 = 0;
};

/// Fitted coefficients of one operation as one library runs it at one data type.
struct CoefficientSet {
  std::string op;       ///< gemm, attention_prefill, all_reduce ... (kernels::operations())
  std::string library;  ///< vllm, trtllm, aiter, nccl ... as in the kernel CSVs
  std::string dtype;    ///< bf16, fp8, fp8-block ...; "any" where it does not matter
  std::map<std::string, double> values;
  Provenance provenance = Provenance::fitted;
  std::string source;
  std::optional<FitError> fit;    ///< on the kernels it was fitted to
  std::optional<FitError> check;  ///< on those kept apart
};

/// Reads a profile's `kernels` array and files every coefficient under
/// `kernels.OP.LIBRARY.DTYPE.NAME`. Two sets for the same operation, library and data type are an
/// error.
std::vector<CoefficientSet> read_coefficients(const json::Node& kernels, Figures& figures);

}  // namespace tradewind::hardware
