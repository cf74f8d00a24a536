#include "validation/baseline.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sim/json/reader.h"
#include "validation/kernel_csv.h"

namespace tradewind::validation {
namespace {

constexpr double kLeastShare = 0.01;
constexpr json::Range kShare{0, 1e9};

double rounded(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

std::optional<double> number_or_null(json::ObjectReader& reader, std::string_view key,
                                     json::Range range) {
  const auto node = reader.optional(key);
  return node ? std::optional(node->number(range)) : std::nullopt;
}

nlohmann::json group_json(const GroupError& group) {
  return {
      {"group", group.group},   {"metric", group.metric},   {"split", group.split},
      {"points", group.points}, {"mape", group.mape},       {"median_ape", group.median_ape},
      {"bias", group.bias},     {"p90_ape", group.p90_ape}, {"spearman", or_null(group.spearman)}};
}

GroupError read_group(const json::Node& node) {
  json::ObjectReader reader(node);
  GroupError group;
  group.group = reader.required("group").string();
  group.metric = reader.required("metric").string();
  group.split = reader.required("split").string();
  group.points = static_cast<std::size_t>(reader.required("points").integer(1, 1'000'000'000));
  group.mape = reader.required("mape").number(kShare);
  group.median_ape = reader.required("median_ape").number(kShare);
  group.bias = reader.required("bias").number();
  group.p90_ape = reader.required("p90_ape").number(kShare);
  group.spearman = number_or_null(reader, "spearman", {-1, 1});
  reader.finish();
  return group;
}

nlohmann::json point_json(const BaselinePoint& point) {
  return {{"id", point.id},
          {"metric", point.metric},
          {"measured", point.measured},
          {"simulated", or_null(point.simulated)},
          {"within", point.within}};
}

BaselinePoint read_point(const json::Node& node) {
  json::ObjectReader reader(node);
  BaselinePoint point;
  point.id = reader.required("id").string();
  point.metric = reader.required("metric").string();
  point.measured = reader.required("measured").number(json::kPositive);
  point.simulated = number_or_null(reader, "simulated", json::kAnyNumber);
  point.within = reader.required("within").boolean();
  reader.finish();
  return point;
}

std::string checksum(const nlohmann::json& groups, const nlohmann::json& points,
                     const nlohmann::json& breakdown) {
  return fmt::format("{:016x}", fnv1a(groups.dump() + points.dump() + breakdown.dump()));
}

/// An array or object with one element a line.
std::string lines(const nlohmann::json& value) {
  std::string text;
  for (const auto& item : value.items()) {
    text += text.empty() ? "\n" : ",\n";
    if (value.is_object()) text += nlohmann::json(item.key()).dump() + ": ";
    text += item.value().dump();
  }
  return value.is_object() ? "{" + text + "\n}" : "[" + text + "\n]";
}

}  // namespace

KernelTimes kernel_times(const workload::Result& result) {
  KernelTimes times;
  for (const workload::BreakdownRow& row : result.breakdown) {
    if (row.share >= kLeastShare) times[row.phase + " " + row.kernel] += row.time_ms;
  }
  for (auto& [kernel, time_ms] : times) time_ms = rounded(time_ms, 4);
  return times;
}

Baseline make_baseline(const Validation& validation) {
  Baseline baseline;
  for (GroupError group : validation.groups) {
    for (double* figure : {&group.mape, &group.median_ape, &group.bias, &group.p90_ape}) {
      *figure = rounded(*figure, 6);
    }
    if (group.spearman) group.spearman = rounded(*group.spearman, 6);
    baseline.groups.push_back(std::move(group));
  }
  for (const PointError& error : validation.errors) {
    if (!error.tolerance) continue;
    BaselinePoint point{error.id, error.metric, error.measured, error.simulated,
                        error.within_tolerance()};
    if (point.simulated) point.simulated = rounded(*point.simulated, 6);
    baseline.points.push_back(std::move(point));
  }
  for (std::size_t i = 0; i < validation.points.size(); ++i) {
    baseline.breakdown_by_id[validation.points[i].id] = kernel_times(validation.results[i]);
  }
  return baseline;
}

std::string baseline_text(const Baseline& baseline) {
  nlohmann::json groups = nlohmann::json::array(), points = groups;
  for (const GroupError& group : baseline.groups) groups.push_back(group_json(group));
  for (const BaselinePoint& point : baseline.points) points.push_back(point_json(point));
  const nlohmann::json breakdown = baseline.breakdown_by_id;
  return fmt::format(
      "{{\n\"about\": \"Written by tradewind validate --against FILE --update; never by hand.\","
      "\n\"checksum\": \"{}\",\n\"groups\": {},\n\"points\": {},\n\"breakdown_ms\": {}\n}}\n",
      checksum(groups, points, breakdown), lines(groups), lines(points),
      breakdown.empty() ? "{}" : lines(breakdown));
}

Baseline read_baseline(std::string_view text, const std::string& file) {
  const json::Document document = json::Document::parse(text, file);
  json::ObjectReader reader(document.root());
  reader.ignore("about");
  const json::Node sum = reader.required("checksum"), groups = reader.required("groups"),
                   points = reader.required("points"), breakdown = reader.required("breakdown_ms");
  reader.finish();
  Baseline baseline;
  for (const json::Node& group : groups.elements()) baseline.groups.push_back(read_group(group));
  for (const json::Node& point : points.elements()) baseline.points.push_back(read_point(point));
  for (const std::string& id : breakdown.keys()) {
    const json::Node times = *breakdown.find(id);
    for (const std::string& kernel : times.keys()) {
      const auto time_ms = times.find(kernel);
      if (!time_ms) times.fail(fmt::format("\"{}\" has no time", kernel));
      baseline.breakdown_by_id[id][kernel] = time_ms->number(json::kNotNegative);
    }
  }
  if (sum.string() != checksum(groups.value(), points.value(), breakdown.value())) {
    sum.fail("does not match what follows: was this edited by hand? --update writes it anew");
  }
  return baseline;
}

}  // namespace tradewind::validation
