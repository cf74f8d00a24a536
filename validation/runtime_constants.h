#pragma once

#include <span>
#include <string_view>

#include "sim/scenario/runtime.h"

namespace tradewind::validation {

/// Which measurements can tell a constant.
enum class ToldBy : unsigned char { serving, training, both };

/// A constant of a runtime that end-to-end measurements can tell, with its physical range in the
/// unit of the runtime's file.
struct RuntimeConstant {
  std::string_view section;  ///< of the file: "host", "kernel_rates"
  std::string_view name;     ///< there: "step_us"
  double lower, upper;
  double typical;       ///< to start a search from
  double large_change;  ///< of a host time; of 1 / rate where it is a rate
  ToldBy told_by;
  double unit;  ///< of the file, in that of the member: 1e-6 where it is in microseconds
  double& (*member)(scenario::Runtime& runtime);

  /// Times are sums of what the host takes and of what kernels take at rate 1, divided by their
  /// rates: nearly linear in coordinates of host times and 1 / rate, here in large changes.
  bool is_rate() const { return section == "kernel_rates"; }
  double coordinate_of(double value) const {
    return (is_rate() ? 1 / value : value) / large_change;
  }
  double at_coordinate(double coordinate) const {
    const double changed = coordinate * large_change;
    return is_rate() ? 1 / changed : changed;
  }

  double value_of(const scenario::Runtime& runtime) const {
    scenario::Runtime copy = runtime;
    return member(copy) / unit;
  }
};

/// Host time of a step, of launches and replays, and the rates of the version's kernels.
std::span<const RuntimeConstant> runtime_constants();

}  // namespace tradewind::validation
