#include "sim/report/page_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/report/dimensions.h"
#include "sim/report/labels.h"
#include "sim/report/pareto.h"
#include "sim/report/ranking.h"
#include "sim/report/time_groups.h"

namespace tradewind::report {
namespace {

using scenario::MemoryUse;
using study::Point;
using study::SweepResults;
using workload::Metrics;

struct MetricKey {
  const char* name;
  std::optional<double> Metrics::*member;
};
constexpr MetricKey kMetrics[] = {
    {"ttft_ms", &Metrics::ttft_ms},
    {"tpot_ms", &Metrics::tpot_ms},
    {"makespan_ms", &Metrics::makespan_ms},
    {"output_tokens_per_s", &Metrics::output_tokens_per_s},
    {"output_tokens_per_s_per_device", &Metrics::output_tokens_per_s_per_device},
    {"output_tokens_per_s_per_user", &Metrics::output_tokens_per_s_per_user},
    {"exposed_communication_fraction", &Metrics::exposed_communication_fraction},
    {"bubble_fraction", &Metrics::bubble_fraction},
    {"mfu", &Metrics::mfu},
    {"cost_per_million_output_tokens_usd", &Metrics::cost_per_million_output_tokens_usd}};

struct MemoryKey {
  const char* name;
  double MemoryUse::*member;
};
constexpr MemoryKey kMemory[] = {{"weights_gb", &MemoryUse::weights_bytes},
                                 {"kv_cache_gb", &MemoryUse::kv_cache_bytes},
                                 {"gradients_gb", &MemoryUse::gradients_bytes},
                                 {"optimizer_gb", &MemoryUse::optimizer_bytes},
                                 {"activations_gb", &MemoryUse::activations_bytes},
                                 {"reserved_gb", &MemoryUse::reserved_bytes},
                                 {"capacity_gb", &MemoryUse::capacity_bytes}};

/// Texts given numbers in the order in which they come.
class Numbering {
 public:
  std::size_t of(const std::string& text) {
    const auto [known, is_new] = numbers_.emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return known->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

std::string text_json(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string number_json(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? fmt::format("{:.5g}", *number) : "null";
}

/// `"name":[...]` with one element a point.
std::string column(std::string_view name, const SweepResults& results,
                   const std::function<std::string(const Point&)>& element) {
  std::string text = fmt::format("\"{}\":[", name);
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    if (i > 0) text += ',';
    text += element(results.points[i]);
  }
  return text += ']';
}

/// Training has no output: its tokens stand in the output's place.
std::optional<double> value_of(const Metrics& metrics, const MetricKey& key) {
  if (key.member == &Metrics::output_tokens_per_s && !metrics.output_tokens_per_s) {
    return metrics.total_tokens_per_s;
  }
  if (key.member == &Metrics::output_tokens_per_s_per_device) {
    return tokens_per_s_per_device(metrics);
  }
  return metrics.*key.member;
}

std::optional<double> memory_gb(const Point& point, double MemoryUse::*member) {
  if (!point.result.memory) return std::nullopt;
  return point.result.memory->fullest_stage().*member * 1e-9;
}

std::string value_columns(const SweepResults& results) {
  std::string text = column("feasible", results, [](const Point& point) {
    return std::string(point.result.feasible ? "1" : "0");
  });
  for (const MetricKey& key : kMetrics) {
    text += ',' + column(key.name, results, [&](const Point& point) {
              return number_json(value_of(point.result.metrics, key));
            });
  }
  for (std::size_t group = 0; group < kTimeGroupCount; ++group) {
    text += ',' + column(fmt::format("group_{}_ms", group), results, [&](const Point& point) {
              if (point.result.breakdown.empty()) return std::string("null");
              return number_json(time_groups(point.result)[group]);
            });
  }
  for (const MemoryKey& key : kMemory) {
    text += ',' + column(key.name, results, [&](const Point& point) {
              return number_json(memory_gb(point, key.member));
            });
  }
  return text + ',' + column("max_batch", results, [](const Point& point) {
           const bool has_batch =
               point.result.memory &&
               std::holds_alternative<scenario::StaticBatch>(point.scenario.workload);
           return has_batch ? std::to_string(point.result.memory->max_batch) : "null";
         });
}

std::string dimension_columns(const std::vector<Dimension>& all) {
  std::string text = "\"dimensions\":[";
  for (const Dimension& dimension : all) {
    if (text.back() != '[') text += ',';
    text += fmt::format("[{}]", fmt::join(dimension.of_point, ","));
  }
  return text += ']';
}

}  // namespace

std::string page_data(const SweepResults& results) {
  const std::optional<CurveAxis> x = curve_axis(results);
  const std::vector<Dimension> all_dimensions = dimensions(results);
  Numbering families, reasons;
  const std::string family_column = column("family", results, [&](const Point& point) {
    return std::to_string(families.of(family_label(results, point, x ? x->path : "")));
  });
  const std::string reason_column = column("reason", results, [&](const Point& point) {
    return point.result.feasible ? "-1" : std::to_string(reasons.of(point.result.reason));
  });
  nlohmann::json dimension_names = nlohmann::json::array();
  for (const Dimension& dimension : all_dimensions) {
    dimension_names.push_back({{"label", dimension.label}, {"values", dimension.values}});
  }

  std::string text = "{\"name\":" + text_json(results.name);
  text += ",\"families\":" + text_json(families.texts());
  text += ",\"reasons\":" + text_json(reasons.texts());
  text += ",\"x\":" + (x ? text_json(x->label) : "null");
  text += ",\"groups\":" + text_json(kTimeGroupNames);
  text += ",\"dimensions\":" + text_json(dimension_names);
  text += fmt::format(",\"front\":[{}]", fmt::join(pareto_front(results.points), ","));
  text += ",\"points\":{" + family_column + ',' + reason_column;
  if (x) text += fmt::format(",\"x\":[{}]", fmt::join(x->of_point, ","));
  text += ',' + dimension_columns(all_dimensions) + ',' + value_columns(results) + "}}\n";
  // "</script>" or "<!--" inside a name must not end the element that the data stands in.
  std::string safe;
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

}  // namespace tradewind::report
