#include "validation/error_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "validation/statistics.h"

namespace tradewind::validation {
namespace {

using GroupKey = std::tuple<std::string, std::string, std::string>;

/// Logarithms of one configuration's figures, summed over its points.
struct Configuration {
  double measured = 0, simulated = 0, points = 0;
};

void rank(std::span<const PointError* const> points, GroupError& error) {
  std::map<std::string_view, Configuration> configurations;
  for (const PointError* point : points) {
    if (!point->simulated) continue;
    Configuration& one = configurations[point->configuration];
    one.measured += std::log(point->measured);
    one.simulated += std::log(*point->simulated);
    ++one.points;
  }
  std::vector<double> measured, simulated;
  for (const auto& [name, one] : configurations) {
    measured.push_back(one.measured / one.points);
    simulated.push_back(one.simulated / one.points);
  }
  error.configurations = configurations.size();
  error.spearman = spearman(measured, simulated);
}

GroupError group_error(const GroupKey& key, std::span<const PointError* const> points) {
  std::vector<double> signed_errors, absolute;
  for (const PointError* point : points) {
    signed_errors.push_back(point->relative_error);
    absolute.push_back(std::abs(point->relative_error));
  }
  GroupError error;
  std::tie(error.group, error.metric, error.split) = key;
  error.points = points.size();
  error.mape = mean(absolute);
  error.median_ape = median(absolute);
  error.bias = median(signed_errors);
  error.p90_ape = quantile(absolute, 0.9);
  rank(points, error);
  return error;
}

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

PointError point_error(std::string id, std::string group, std::string split, std::string metric,
                       double measured, std::optional<double> simulated) {
  PointError point{id,
                   std::move(group),
                   std::move(split),
                   std::move(metric),
                   std::move(id),
                   measured,
                   simulated,
                   -1,
                   simulated.has_value(),
                   std::nullopt};
  if (simulated) point.relative_error = *simulated / measured - 1;
  return point;
}

std::vector<GroupError> group_errors(std::span<const PointError> points) {
  std::map<GroupKey, std::vector<const PointError*>> groups;
  for (const PointError& point : points) {
    groups[{point.group, point.metric, point.split}].push_back(&point);
  }
  std::vector<GroupError> errors;
  errors.reserve(groups.size());
  for (const auto& [key, members] : groups) errors.push_back(group_error(key, members));
  return errors;
}

nlohmann::ordered_json error_json(std::span<const PointError> points,
                                  std::span<const GroupError> groups, bool passed) {
  auto json = nlohmann::ordered_json{{"points", nlohmann::ordered_json::array()},
                                     {"groups", nlohmann::ordered_json::array()},
                                     {"passed", passed}};
  for (const PointError& point : points) {
    json["points"].push_back({{"id", point.id},
                              {"group", point.group},
                              {"split", point.split},
                              {"metric", point.metric},
                              {"measured", point.measured},
                              {"simulated", or_null(point.simulated)},
                              {"relative_error", point.relative_error},
                              {"feasible", point.feasible}});
  }
  for (const GroupError& group : groups) {
    json["groups"].push_back({{"group", group.group},
                              {"split", group.split},
                              {"metric", group.metric},
                              {"points", group.points},
                              {"mape", group.mape},
                              {"median_ape", group.median_ape},
                              {"bias", group.bias},
                              {"p90_ape", group.p90_ape},
                              {"configurations", group.configurations},
                              {"spearman", or_null(group.spearman)}});
  }
  return json;
}

std::string error_table(std::span<const GroupError> groups) {
  std::size_t widest = std::string_view("group").size(), metric = std::string_view("metric").size();
  for (const GroupError& group : groups) {
    widest = std::max(widest, group.group.size());
    metric = std::max(metric, group.metric.size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}} {:<5} {:>6} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8}\n",
                                 "group", widest, "metric", metric, "split", "points", "mape %",
                                 "median %", "bias %", "p90 %", "configs", "spearman");
  for (const GroupError& group : groups) {
    text += fmt::format(
        "{:<{}}  {:<{}} {:<5} {:>6} {:>8.1f} {:>8.1f} {:>+8.1f} {:>8.1f} {:>7} {:>8}\n",
        group.group, widest, group.metric, metric, group.split, group.points, 100 * group.mape,
        100 * group.median_ape, 100 * group.bias, 100 * group.p90_ape, group.configurations,
        group.spearman ? fmt::format("{:.3f}", *group.spearman) : "-");
  }
  return text;
}

}  // namespace tradewind::validation
