#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/workload/result.h"
#include "validation/error_table.h"
#include "validation/trace.h"
#include "validation/trace_files.h"

namespace tradewind::validation {

/// Everything measured that was compared, and what came of it.
struct Validation {
  std::vector<TracePoint> points;
  std::vector<workload::Result> results;  ///< one for each of `points`
  std::vector<PointError> errors;         ///< of the traces, then of the kernel CSVs
  std::vector<GroupError> groups;
  std::vector<Skipped> skipped;
  std::vector<std::string> notes;  ///< what was withheld and what stands in; mostly none

  /// True when every point that has a tolerance is within it.
  bool within_tolerance() const;
};

/// Reads the files, simulates every point on `jobs` threads (0 = all cores) and compares. `data`
/// is the folder with models/ and hardware/. With a `withheld` device ("h200", withheld.h) only its
/// points, without what was measured on it. Throws InputError before anything runs.
Validation validate(const MeasurementFiles& files, const std::filesystem::path& data, int jobs = 0,
                    const std::string& withheld = {});

}  // namespace tradewind::validation
