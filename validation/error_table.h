#pragma once

#include <cmath>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tradewind::validation {

/// One measured figure against the simulated one (interface.md, "Trace of measurements").
struct PointError {
  std::string id;
  std::string group;
  std::string split;   ///< fit or check
  std::string metric;  ///< time_us, ttft_ms ...
  /// What was measured, whatever software release it ran on: as the point's id if nobody says more.
  std::string configuration;
  double measured = 0;
  std::optional<double> simulated;  ///< nothing where the simulator has no answer
  /// simulated / measured - 1; -1 (an error of 100 %) without an answer, or for a point that ran on
  /// silicon and the simulator calls infeasible.
  double relative_error = 0;
  bool feasible = true;
  /// The largest |relative_error| that counts as agreement; nothing: the point is not judged alone.
  std::optional<double> tolerance;

  bool within_tolerance() const { return !tolerance || std::abs(relative_error) <= *tolerance; }
};

/// A point with its error worked out. `feasible` is false where there is no answer.
PointError point_error(std::string id, std::string group, std::string split, std::string metric,
                       double measured, std::optional<double> simulated);

/// Least configurations of a group whose rank correlation is held to a bar.
inline constexpr std::size_t kRankedConfigurations = 10;

/// Errors of one metric over one split of a group, each as a share (0.05 = 5 %).
struct GroupError {
  std::string group, split, metric;
  std::size_t points = 0;
  double mape = 0;        ///< mean of |relative error|
  double median_ape = 0;  ///< median of |relative error|
  double bias = 0;        ///< median of the signed error: below 0 the simulator is too fast
  double p90_ape = 0;     ///< 90th percentile of |relative error|
  /// Answered, by their scenario without the runtime, kernels by their shape.
  std::size_t configurations = 0;
  /// Does it order configurations as silicon does? Rank correlation of their geometric means, over
  /// the releases and repeats of each, of what was measured and of what was simulated: two releases
  /// of one configuration are no order of configurations. Below kRankedConfigurations of them one
  /// near tie decides it, and no promise is made.
  std::optional<double> spearman;
};

/// One entry for each (group, metric, split), sorted by these names.
std::vector<GroupError> group_errors(std::span<const PointError> points);

/// `{ "points": [...], "groups": [...], "passed": bool }`, keys as in interface.md.
nlohmann::ordered_json error_json(std::span<const PointError> points,
                                  std::span<const GroupError> groups, bool passed);
/// The groups as a table for people, errors in percent.
std::string error_table(std::span<const GroupError> groups);

}  // namespace tradewind::validation
