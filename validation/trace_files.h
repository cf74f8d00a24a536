#pragma once

#include <string>
#include <vector>

#include "validation/trace.h"

namespace tradewind::validation {

/// The files that `--traces` names, sorted into what they hold.
struct MeasurementFiles {
  std::vector<std::string> traces;       ///< .json and .jsonl
  std::vector<std::string> kernel_csvs;  ///< .csv
  std::vector<Skipped> skipped;          ///< .json in folders that is no trace
};

/// Files as they are; folders searched whole, sorted by path. `-` (stdin) is a kernel CSV or a
/// trace, by its first character. A .json found in a folder counts as a trace when it is an object
/// with "points". Throws InputError for what is not there, of another kind, or a folder without
/// measurements.
MeasurementFiles find_measurements(const std::vector<std::string>& paths);

}  // namespace tradewind::validation
