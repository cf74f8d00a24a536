#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validation/import/importer.h"
#include "validation/import/load.h"

namespace tradewind::validation {

/// One run that a tool measured, by our metric names.
struct MeasuredRun {
  std::vector<std::pair<std::string, double>> metrics;
  std::optional<Load> load;        ///< none: the scenario's workload stands as it is
  std::optional<int> tp, pp;       ///< as far as the file says
  std::vector<std::string> notes;  ///< conditions, one sentence each
  double uncertainty = 0;          ///< relative spread of the run's own repetitions

  /// Nothing, and 0, which is how tools write what they did not take, add nothing.
  void add(std::string metric, std::optional<double> value, double scale = 1);
};

/// The trace of those runs of `request.scenario`, one point a run, with the members of `about`
/// beside the points. A static batch takes means only (a percentile over equal requests says
/// nothing of the simulator), and the makespan only of a run that was one batch. The trace is read
/// back as `validate` reads it, so that what is written is right. Throws InputError for a missing
/// scenario, what is wrong in it (in its own file), a plan that is not the measured one, a run
/// without a figure.
Imported trace_of(const std::vector<MeasuredRun>& runs, std::string_view format,
                  const ImportRequest& request, const nlohmann::ordered_json& about);
Imported trace_of(const std::vector<MeasuredRun>& runs, std::string_view format,
                  const ImportRequest& request);

}  // namespace tradewind::validation
