#include "validation/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "sim/core/error.h"
#include "validation/kernel_validation.h"
#include "validation/trace_validation.h"
#include "validation/withheld.h"

namespace tradewind::validation {
namespace {

/// Kernels of the withheld device alone, priced without what was measured on it.
std::vector<PointError> validate_withheld(const std::string& file, const Withheld& withheld,
                                          const std::filesystem::path& data) {
  std::vector<KernelRow> rows = read_kernel_csv(file);
  Machines machines = load_machines(rows, data);
  std::erase_if(machines, [&](const auto& one) { return !withheld.concerns(one.second); });
  std::erase_if(rows, [&](const KernelRow& row) { return !machines.contains(row.device); });
  for (auto& [device, cluster] : machines) {
    cluster = withheld.without_measurements(std::move(cluster));
  }
  return validate_kernels(rows, machines);
}

}  // namespace

bool Validation::within_tolerance() const {
  return std::all_of(errors.begin(), errors.end(),
                     [](const PointError& error) { return error.within_tolerance(); });
}

Validation validate(const MeasurementFiles& files, const std::filesystem::path& data, int jobs,
                    const std::string& device) {
  scenario::Catalogue catalogue(data);
  std::optional<Withheld> withheld;
  if (!device.empty()) withheld.emplace(device, catalogue);
  Traces traces = read_traces(files.traces, catalogue);
  if (withheld) traces.points = withheld->points(std::move(traces.points));
  std::vector<PointError> kernels;
  for (const std::string& file : files.kernel_csvs) {
    std::vector<PointError> errors =
        withheld ? validate_withheld(file, *withheld, data) : validate_kernel_file(file, data);
    std::move(errors.begin(), errors.end(), std::back_inserter(kernels));
  }
  if (withheld && traces.points.empty() && kernels.empty()) {
    throw InputError("--withhold", "", fmt::format("no measurement given is of \"{}\"", device));
  }
  Validation validation;
  if (withheld) validation.notes = withheld->notes();
  validation.points = std::move(traces.points);
  validation.results = simulate(validation.points, jobs);
  validation.errors = trace_errors(validation.points, validation.results);
  std::move(kernels.begin(), kernels.end(), std::back_inserter(validation.errors));
  validation.groups = group_errors(validation.errors);
  validation.skipped = files.skipped;
  std::move(traces.skipped.begin(), traces.skipped.end(), std::back_inserter(validation.skipped));
  return validation;
}

}  // namespace tradewind::validation
