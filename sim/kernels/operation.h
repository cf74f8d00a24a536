#pragma once

#include <span>
#include <string_view>

#include "sim/hardware/network.h"
#include "sim/hardware/node.h"
#include "sim/kernels/cost.h"
#include "sim/kernels/shape.h"

namespace tradewind::kernels {

/// Where a kernel runs. `compute_units_free` is the share left by others (1 = all).
struct KernelMachine {
  const hardware::Accelerator& accelerator;
  const hardware::Node* node = nullptr;        ///< collectives need it
  const hardware::Network* network = nullptr;  ///< collectives over several nodes need it
  double compute_units_free = 1;
};

/// One physical coefficient of a cost model: efficiencies lie in (0, 1], latencies are not
/// negative. `initial` is the textbook value, used (as `assumed`) where nothing was fitted.
struct Parameter {
  std::string_view name;
  double lower, upper, initial;
  std::string_view meaning;
};

/// A priced operation: lowering, `validate` and `calibrate` all price through this one table.
struct Operation {
  std::string_view name;  ///< as in the `op` column of kernel CSVs
  std::span<const Parameter> parameters;
  /// `coefficients` in the order of `parameters`. `shape` must hold this operation's alternative.
  Cost (*price)(const Shape& shape, const KernelMachine& machine,
                std::span<const double> coefficients);
};

/// All of them, in a fixed order.
std::span<const Operation> operations();
/// The operation of that name, or nullptr.
const Operation* find_operation(std::string_view name);

}  // namespace tradewind::kernels
