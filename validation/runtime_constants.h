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
  double typical;  ///< to start a search from
  ToldBy told_by;
  double unit;  ///< of the file, in that of the member: 1e-6 where it is in microseconds
  double& (*member)(scenario::Runtime& runtime);

  double value_of(const scenario::Runtime& runtime) const {
    scenario::Runtime copy = runtime;
    return member(copy) / unit;
  }
};

/// Host time of a step, of launches and replays, and the rates of the version's kernels.
std::span<const RuntimeConstant> runtime_constants();

}  // namespace tradewind::validation
