#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/hardware/accelerator.h"
#include "sim/kernels/operation.h"

namespace tradewind::kernels {

/// The coefficients one operation is priced with, found once.
struct ResolvedCoefficients {
  std::vector<double> values;  ///< in the order of the operation's parameters
  Provenance provenance = Provenance::assumed;
  std::string origin;  ///< "vllm/bf16", or "textbook values"
};

/// The profile's set for (op, library, dtype), else the nearest there is, else the textbook values.
/// In this order, each step but the first `assumed`: the same library's blockwise variant of the
/// data type; another library's set of the data type; the same for the next related data type
/// (fp4, fp6 -> fp8 -> bf16; int8 -> fp8; fp16 <-> bf16; all -> any), whose efficiencies carry over
/// while the device's own peak is used; the parameters' initial values.
/// An empty `library` accepts the first set of the data type as it stands. Products that are
/// `assumed` are held to what the device was measured to sustain (sustained_product.h).
ResolvedCoefficients resolve(const hardware::Accelerator& accelerator, std::string_view op,
                             std::span<const Parameter> parameters, std::string_view library,
                             std::string_view dtype);

}  // namespace tradewind::kernels
