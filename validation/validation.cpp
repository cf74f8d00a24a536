#include "validation/validation.h"

#include <algorithm>
#include <iterator>

#include "validation/kernel_validation.h"
#include "validation/trace_validation.h"

namespace tradewind::validation {

bool Validation::within_tolerance() const {
  return std::all_of(errors.begin(), errors.end(),
                     [](const PointError& error) { return error.within_tolerance(); });
}

Validation validate(const MeasurementFiles& files, const std::filesystem::path& data, int jobs) {
  scenario::Catalogue catalogue(data);
  Traces traces = read_traces(files.traces, catalogue);
  std::vector<PointError> kernels;
  for (const std::string& file : files.kernel_csvs) {
    std::vector<PointError> errors = validate_kernel_file(file, data);
    std::move(errors.begin(), errors.end(), std::back_inserter(kernels));
  }
  Validation validation;
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
