#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/scenario/catalogue.h"
#include "validation/runtime_constants.h"
#include "validation/runtime_sample.h"
#include "validation/trace.h"

namespace tradewind::validation {

/// What the traces say about a runtime on one architecture.
struct CalibratedRuntime {
  std::string architecture;                       ///< as under `on` of the file
  std::vector<const RuntimeConstant*> constants;  ///< that the traces could tell
  std::vector<double> values;                     ///< in the file's units, four digits
  TraceAccuracy fit_before, fit_after, check_before, check_after;
};

/// Fits the constants of the runtime in `file` to the `fit` points of `points` that run on it or on
/// another name of it (architecture by architecture): log(simulated / measured) under a soft L1
/// loss (secant_fit.h), from the better of the constants as they are and typical ones, drawn weakly
/// towards what holds without the fit: the file's base, which is the neighbouring version.
/// Constants that the file gives under `on` stay when their kind is another than "fitted" or their
/// source another than this command; those without which the fit is as good (kWorthKeeping) go back
/// to the base. `name` is the runtime's. Deterministic.
inline constexpr double kWorthKeeping = 0.01;
std::vector<CalibratedRuntime> calibrate_runtime(const std::string& name,
                                                 const std::filesystem::path& file,
                                                 std::span<const TracePoint> points,
                                                 const scenario::Catalogue& catalogue);

/// The file with those constants under `on`, each with `command` as its source.
std::string with_runtime_constants(const std::filesystem::path& file,
                                   std::span<const CalibratedRuntime> fits,
                                   const std::string& command);

/// A line an architecture and one a constant, for people.
std::string runtime_calibration_table(std::span<const CalibratedRuntime> fits);

/// What `tradewind calibrate --runtime` does. `out` may be empty: nothing is written.
struct RuntimeCalibrationRequest {
  std::string runtime;
  std::vector<std::string> trace_files;  ///< or folders
  std::filesystem::path data, out;
};
/// Throws InputError when the runtime has no file or no point to fit.
std::vector<CalibratedRuntime> run_runtime_calibration(const RuntimeCalibrationRequest& request);

}  // namespace tradewind::validation
