#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/hardware/coefficients.h"
#include "sim/kernels/operation.h"
#include "validation/kernel_csv.h"

namespace tradewind::validation {

/// |predicted / measured - 1| over some rows; `bias` is the median of predicted / measured - 1.
struct Accuracy {
  std::size_t points = 0;
  double median = 0, p90 = 0, bias = 0;
};

/// Coefficients before and after a fit, on the rows fitted and on those kept apart.
struct CalibratedSet {
  hardware::CoefficientSet set;
  Accuracy fit_before, fit_after, check_before, check_after;
};

/// Rows that share one set of coefficients.
struct KernelGroup {
  std::string op, library, dtype;
  std::vector<KernelRow> fit, check;
};

/// Groups by (op, library, coefficient_dtype()), in that order; rows of weight 0 are left out, on
/// both sides (kernel_rules.h).
std::vector<KernelGroup> group_rows(std::span<const KernelRow> rows);

/// Fits the coefficients of `operation` to the group's fit rows: robust in log(predicted /
/// measured), from the textbook values, from what the machine's profile now prices with, and from
/// random starts on a sample of the rows; values keep four digits. Coefficients that no row tells
/// anything about stay as they are, and so do efficiencies of 0 (an algorithm that is not there).
CalibratedSet calibrate_group(const KernelGroup& group, const kernels::Operation& operation,
                              const kernels::KernelMachine& machine, std::string source);

/// Every group of `rows` that has at least kFewestRows rows to fit, several at a time; the result
/// does not depend on the number of threads. `hardware` is the name for the sets' source, a command
/// that can be run again. Throws InputError when nothing is left to fit.
inline constexpr std::size_t kFewestRows = 4;
std::vector<CalibratedSet> calibrate(std::span<const KernelRow> rows,
                                     const kernels::KernelMachine& machine,
                                     const std::string& hardware);

/// A line a set: errors before -> after on both sides, for people.
std::string calibration_table(std::span<const CalibratedSet> sets);

/// What `tradewind calibrate` does: reads the CSVs, keeps the rows of that hardware (find_machine),
/// fits, and writes its accelerator profile with the new sets to `out` ("-" is stdout).
struct CalibrationRequest {
  std::string hardware;
  std::vector<std::string> kernel_files;
  std::filesystem::path data, out;
};
std::vector<CalibratedSet> run_calibration(const CalibrationRequest& request);

}  // namespace tradewind::validation
