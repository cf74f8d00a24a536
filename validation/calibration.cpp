#include "validation/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/hardware/loader.h"
#include "sim/kernels/coefficients.h"
#include "sim/study/parallel.h"
#include "validation/kernel_machines.h"
#include "validation/kernel_rules.h"
#include "validation/levenberg_marquardt.h"
#include "validation/profile_text.h"
#include "validation/statistics.h"

namespace tradewind::validation {
namespace {

using kernels::KernelMachine;
using kernels::Operation;

/// Rows of the search from random starts; the best is then fitted to all.
constexpr std::size_t kSampleRows = 500;
constexpr int kRandomStarts = 8;
/// log(predicted / measured) of a row without a price: far beyond any real one.
constexpr double kNoPrice = 10;

Accuracy accuracy(std::span<const KernelRow> rows, const Operation& operation,
                  const KernelMachine& machine, std::span<const double> coefficients) {
  if (rows.empty()) return {};
  std::vector<double> signed_errors, absolute;
  for (const KernelRow& row : rows) {
    const auto us = price_us(operation, row.shape, machine, coefficients);
    signed_errors.push_back(us ? *us / row.time_us - 1 : -1);
    absolute.push_back(std::abs(signed_errors.back()));
  }
  return {rows.size(), median(absolute), quantile(absolute, 0.9), median(signed_errors)};
}

/// The rows' own weights, times what makes the token ranges weigh alike, at most kMostBalance: a
/// handful of rows must not decide a fit.
std::vector<double> balanced_weights(std::span<const KernelRow> rows) {
  constexpr double kMostBalance = 4;
  std::map<int, double> sizes;
  for (const KernelRow& row : rows) ++sizes[token_range(row)];
  const double even = static_cast<double>(rows.size()) / static_cast<double>(sizes.size());
  std::vector<double> weights;
  for (const KernelRow& row : rows) {
    weights.push_back(fit_weight(row) * std::min(kMostBalance, even / sizes[token_range(row)]));
  }
  return weights;
}

/// An efficiency of 0 says that the library lacks the algorithm, which no fit may change.
bool is_absent(const kernels::Parameter& parameter, double value) {
  return value == 0 && parameter.name.ends_with("_efficiency");
}

FitProblem problem_of(std::span<const KernelRow> rows, const Operation& operation,
                      const KernelMachine& machine, std::span<const double> now) {
  FitProblem problem;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const kernels::Parameter& one = operation.parameters[i];
    if (is_absent(one, now[i])) {
      problem.parameters.push_back({0, 0, 0});
    } else {
      problem.parameters.push_back({one.lower, one.upper, now[i]});
    }
  }
  problem.weights = balanced_weights(rows);
  problem.residuals = [rows, &operation, &machine](std::span<const double> values,
                                                   std::span<double> residuals) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto us = price_us(operation, rows[i].shape, machine, values);
      residuals[i] = us ? std::log(*us / rows[i].time_us) : kNoPrice;
    }
  };
  return problem;
}

/// Every n-th row: files are sorted by shape, so that the sample covers the range.
std::vector<KernelRow> sample(std::span<const KernelRow> rows) {
  const std::size_t stride = (rows.size() + kSampleRows - 1) / kSampleRows;
  std::vector<KernelRow> some;
  for (std::size_t i = 0; i < rows.size(); i += stride) some.push_back(rows[i]);
  return some;
}

/// Four digits: more would pretend, and the errors reported are those of the digits written. A
/// value that has come within a hundred-thousandth of the range of a bound stands on it; of a wide
/// range in the logarithm, as the fit sees it.
double written(double value, const kernels::Parameter& parameter) {
  constexpr double kNear = 1e-5;
  const bool wide = parameter.lower > 0 && parameter.upper > kWideRange * parameter.lower;
  const auto scaled = [wide](double x) { return wide ? std::log(x) : x; };
  const double low = scaled(parameter.lower), high = scaled(parameter.upper);
  const double share = (scaled(value) - low) / (high - low);
  if (share < kNear) return parameter.lower;
  if (share > 1 - kNear) return parameter.upper;
  return std::clamp(std::stod(fmt::format("{:.3e}", value)), parameter.lower, parameter.upper);
}

std::vector<double> fitted_values(const KernelGroup& group, const Operation& operation,
                                  const KernelMachine& machine, const std::vector<double>& now) {
  std::vector<double> textbook;
  for (const kernels::Parameter& one : operation.parameters) textbook.push_back(one.initial);
  std::vector<std::vector<double>> starts = {textbook, now};

  FitOptions search;
  search.random_starts = kRandomStarts;
  const std::vector<KernelRow> some = sample(group.fit);
  const FitResult coarse = fit(problem_of(some, operation, machine, now), starts, search);

  starts = {coarse.values, now};
  FitResult fine = fit(problem_of(group.fit, operation, machine, now), starts, FitOptions{});
  for (std::size_t i = 0; i < fine.values.size(); ++i) {
    fine.values[i] = written(fine.values[i], operation.parameters[i]);
  }
  return fine.values;
}

/// What the profile prices these rows with; for a library it does not know, with the algorithms
/// that the library has.
std::vector<double> coefficients_now(const KernelGroup& group, const Operation& operation,
                                     const KernelMachine& machine) {
  kernels::ResolvedCoefficients now = kernels::resolve(
      machine.accelerator, operation.name, operation.parameters, group.library, group.dtype);
  const bool known = now.origin == fmt::format("{}/{}", group.library, group.dtype);
  for (std::size_t i = 0; i < now.values.size() && !known; ++i) {
    const auto efficiency = algorithm_efficiency(group.library, operation.parameters[i].name);
    if (efficiency) now.values[i] = *efficiency;
  }
  return now.values;
}

std::string files_of(const KernelGroup& group) {
  std::set<std::string> files;
  for (const KernelRow& row : group.fit) files.insert(row.file);
  return fmt::format("{}", fmt::join(files, " "));
}

}  // namespace

std::vector<KernelGroup> group_rows(std::span<const KernelRow> rows) {
  std::map<std::tuple<std::string, std::string, std::string>, KernelGroup> groups;
  for (const KernelRow& row : rows) {
    if (fit_weight(row) <= 0) continue;
    KernelGroup& group = groups[{row.op, row.library, coefficient_dtype(row)}];
    (is_check(row) ? group.check : group.fit).push_back(row);
  }
  std::vector<KernelGroup> list;
  for (auto& [key, group] : groups) {
    std::tie(group.op, group.library, group.dtype) = key;
    list.push_back(std::move(group));
  }
  return list;
}

CalibratedSet calibrate_group(const KernelGroup& group, const Operation& operation,
                              const KernelMachine& machine, std::string source) {
  const std::vector<double> now = coefficients_now(group, operation, machine);
  const std::vector<double> fitted = fitted_values(group, operation, machine, now);

  CalibratedSet result;
  result.set.op = group.op;
  result.set.library = group.library;
  result.set.dtype = group.dtype;
  result.set.source = std::move(source);
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    result.set.values[std::string(operation.parameters[i].name)] = fitted[i];
  }
  result.fit_before = accuracy(group.fit, operation, machine, now);
  result.fit_after = accuracy(group.fit, operation, machine, fitted);
  result.check_before = accuracy(group.check, operation, machine, now);
  result.check_after = accuracy(group.check, operation, machine, fitted);
  return result;
}

std::vector<CalibratedSet> calibrate(std::span<const KernelRow> rows, const KernelMachine& machine,
                                     const std::string& hardware) {
  std::vector<KernelGroup> groups = group_rows(rows);
  std::erase_if(groups, [](const KernelGroup& one) { return one.fit.size() < kFewestRows; });
  if (groups.empty()) {
    throw InputError("--kernels", "",
                     fmt::format("no group of at least {} rows of {} to fit", kFewestRows,
                                 machine.accelerator.name));
  }
  std::vector<CalibratedSet> sets(groups.size());
  tbb::task_arena arena;
  study::parallel_for(arena, groups.size(), [&](std::size_t i) {
    const Operation* operation = kernels::find_operation(groups[i].op);
    if (operation == nullptr) {
      throw InputError(groups[i].fit.front().place(), "",
                       fmt::format("no cost model for \"{}\"", groups[i].op));
    }
    sets[i] = calibrate_group(groups[i], *operation, machine,
                              fmt::format("tradewind calibrate --hardware {} --kernels {}",
                                          hardware, files_of(groups[i])));
  });
  return sets;
}

std::string calibration_table(std::span<const CalibratedSet> sets) {
  const auto change = [](double before, double after) {
    return fmt::format("{:5.1f} -> {:4.1f}", 100 * before, 100 * after);
  };
  std::string text = fmt::format(
      "{:<18} {:<16} {:<9} | {:>5} {:>13} {:>13} | {:>5} {:>13} {:>13} {:>6}\n", "operation",
      "library", "dtype", "fit", "median %", "p90 %", "check", "median %", "p90 %", "bias");
  for (const CalibratedSet& one : sets) {
    text +=
        fmt::format("{:<18} {:<16} {:<9} | {:>5} {:>13} {:>13} | {:>5} {:>13} {:>13} {:>+6.1f}\n",
                    one.set.op, one.set.library, one.set.dtype, one.fit_after.points,
                    change(one.fit_before.median, one.fit_after.median),
                    change(one.fit_before.p90, one.fit_after.p90), one.check_after.points,
                    change(one.check_before.median, one.check_after.median),
                    change(one.check_before.p90, one.check_after.p90), 100 * one.check_after.bias);
  }
  return text;
}

std::vector<CalibratedSet> run_calibration(const CalibrationRequest& request) {
  const NamedMachine machine = find_machine(request.hardware, request.data);
  std::vector<KernelRow> rows;
  for (const std::string& file : request.kernel_files) {
    for (KernelRow& row : read_kernel_csv(file)) {
      if (row.device == machine.device) rows.push_back(std::move(row));
    }
  }
  std::vector<CalibratedSet> sets = calibrate(rows, machine_of(machine.cluster), request.hardware);
  const std::filesystem::path profile =
      hardware::profile_path(hardware::ProfileKind::accelerator,
                             {machine.cluster.accelerator().name, "", ""}, request.data);
  write_file(request.out, with_calibrated_kernels(read_file(profile), profile.string(), sets));
  return sets;
}

}  // namespace tradewind::validation
