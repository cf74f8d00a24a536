#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validation/error_table.h"
#include "validation/validation.h"

namespace tradewind::validation {

/// One figure as it stood when the baseline was written.
struct BaselinePoint {
  std::string id, metric;
  double measured = 0;
  std::optional<double> simulated;  ///< nothing: infeasible, or no answer
  bool within = true;               ///< within its tolerance

  double relative_error() const { return simulated ? *simulated / measured - 1 : -1; }
};

/// Milliseconds by "phase kernel".
using KernelTimes = std::map<std::string, double>;

/// What `validate --against` compares with: the error of every group, the answer and verdict of
/// every point of a trace, and where its time went. Kernel CSVs count by their groups alone.
struct Baseline {
  std::vector<GroupError> groups;
  std::vector<BaselinePoint> points;
  std::map<std::string, KernelTimes> breakdown_by_id;
};

/// The rows of a result's breakdown that hold at least a hundredth of the makespan, in four digits:
/// enough to say what moved, little enough to keep.
KernelTimes kernel_times(const workload::Result& result);

/// The baseline of a validation, figures in six digits: bits that differ between machines are no
/// change.
Baseline make_baseline(const Validation& validation);

/// As a JSON text with one entry a line, so that a diff shows what moved, and a checksum.
std::string baseline_text(const Baseline& baseline);

/// Throws InputError when the text is no baseline, or was edited by hand: a verdict is something
/// that `--update` finds out, not something to write down.
Baseline read_baseline(std::string_view text, const std::string& file);

}  // namespace tradewind::validation
