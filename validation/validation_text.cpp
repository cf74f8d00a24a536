#include "validation/validation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace tradewind::validation {
namespace {

constexpr std::size_t kWorstShown = 10;

/// What is over the tolerance; infeasible before all.
double excess(const PointError& error) {
  return (error.feasible ? 0 : 1e9) + std::abs(error.relative_error) - *error.tolerance;
}

/// Every group of traces as one, by split: kernels take microseconds and are summed up apart.
std::string over_all(const Validation& validation) {
  std::vector<PointError> all;
  for (PointError error : validation.errors) {
    if (!error.tolerance) continue;
    error.group = "all groups", error.metric = "all metrics";
    all.push_back(std::move(error));
  }
  std::string text;
  for (const GroupError& group : group_errors(all)) {
    text += fmt::format(
        "{} figures to {}: MAPE {:.1f} %, median {:.1f} %, bias {:+.1f} %, 90th percentile {:.1f} "
        "%\n",
        group.points, group.split, 100 * group.mape, 100 * group.median_ape, 100 * group.bias,
        100 * group.p90_ape);
  }
  return text;
}

std::string worst_points(const Validation& validation) {
  const std::vector<const PointError*> outside = outside_tolerance(validation.errors);
  if (outside.empty()) return {};
  std::string text = fmt::format("{} figures outside their tolerance{}:\n", outside.size(),
                                 outside.size() > kWorstShown ? ", the farthest" : "");
  for (std::size_t i = 0; i < std::min(outside.size(), kWorstShown); ++i) {
    const PointError& error = *outside[i];
    text += fmt::format("  {} {}: measured {:.6g}, ", error.id, error.metric, error.measured);
    text += error.simulated
                ? fmt::format("simulated {:.6g} ({:+.1f} %", *error.simulated,
                              100 * error.relative_error)
                : std::string(error.feasible ? "no answer (100 %" : "infeasible (100 %");
    text += fmt::format(", granted {:.0f} %)\n", 100 * *error.tolerance);
  }
  return text;
}

std::string skipped_text(std::span<const Skipped> skipped) {
  std::map<std::string, std::size_t> count_by_reason;
  for (const Skipped& one : skipped) ++count_by_reason[one.reason];
  std::string text;
  for (const auto& [reason, count] : count_by_reason) {
    text += fmt::format("skipped {}: {}\n", count, reason);
  }
  return text;
}

}  // namespace

std::vector<const PointError*> outside_tolerance(std::span<const PointError> errors) {
  std::vector<const PointError*> outside;
  for (const PointError& error : errors) {
    if (!error.within_tolerance()) outside.push_back(&error);
  }
  std::stable_sort(outside.begin(), outside.end(), [](const PointError* a, const PointError* b) {
    return excess(*a) > excess(*b);
  });
  return outside;
}

std::string validation_text(const Validation& validation) {
  std::string notes;
  for (const std::string& note : validation.notes) notes += note + "\n";
  return notes + error_table(validation.groups) + over_all(validation) + worst_points(validation) +
         skipped_text(validation.skipped);
}

nlohmann::ordered_json validation_json(const Validation& validation, bool passed) {
  nlohmann::ordered_json json = error_json(validation.errors, validation.groups, passed);
  json["skipped"] = nlohmann::ordered_json::array();
  for (const Skipped& one : validation.skipped) {
    json["skipped"].push_back({{"id", one.id}, {"reason", one.reason}});
  }
  json["notes"] = validation.notes;
  return json;
}

}  // namespace tradewind::validation
