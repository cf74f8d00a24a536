#include "sim/report/result_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/report/metric_columns.h"
#include "sim/scenario/reader.h"

namespace tradewind::report {
namespace {

using nlohmann::ordered_json;
using scenario::MemoryReport;
using scenario::MemoryUse;

struct MemoryField {
  const char* name;
  double MemoryUse::*member;
};
constexpr MemoryField kMemoryFields[] = {{"weights_bytes", &MemoryUse::weights_bytes},
                                         {"kv_cache_bytes", &MemoryUse::kv_cache_bytes},
                                         {"activations_bytes", &MemoryUse::activations_bytes},
                                         {"reserved_bytes", &MemoryUse::reserved_bytes},
                                         {"capacity_bytes", &MemoryUse::capacity_bytes}};

ordered_json number_or_null(const std::optional<double>& number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

ordered_json use_json(const MemoryUse& use) {
  ordered_json json = ordered_json::object();
  for (const MemoryField& field : kMemoryFields) json[field.name] = use.*field.member;
  return json;
}

ordered_json memory_json(const std::optional<MemoryReport>& memory) {
  ordered_json json = ordered_json::object();
  if (memory) {
    json = use_json(memory->fullest_stage());
    json["kv_cache_capacity_tokens"] = memory->kv_cache_capacity_tokens;
    json["max_batch"] = memory->max_batch;
  } else {
    for (const MemoryField& field : kMemoryFields) json[field.name] = nullptr;
    json["kv_cache_capacity_tokens"] = nullptr;
    json["max_batch"] = nullptr;
  }
  for (const char* training_only : {"gradients_bytes", "optimizer_bytes"}) {
    json[training_only] = nullptr;
  }
  json["fullest_stage"] = memory ? ordered_json(memory->fullest) : ordered_json(nullptr);
  ordered_json stages = ordered_json::array();
  if (memory) {
    for (const MemoryUse& use : memory->stages) stages.push_back(use_json(use));
  }
  json["stages"] = std::move(stages);
  return json;
}

ordered_json metrics_json(const workload::Metrics& metrics) {
  ordered_json json = ordered_json::object();
  for (const MetricColumn& column : metric_columns()) {
    json.emplace(column.name, number_or_null(column.of(metrics)));
  }
  return json;
}

ordered_json breakdown_json(const std::vector<workload::BreakdownRow>& rows) {
  ordered_json json = ordered_json::array();
  for (const workload::BreakdownRow& row : rows) {
    json.push_back({{"phase", row.phase},
                    {"kernel", row.kernel},
                    {"count", row.count},
                    {"time_ms", row.time_ms},
                    {"share", row.share},
                    {"bound", to_string(row.bound)}});
  }
  return json;
}

ordered_json provenance_json(const workload::Result& result) {
  ordered_json json = ordered_json::object();
  for (std::size_t i = 0; i < kProvenanceCount; ++i) {
    json[std::string(kProvenanceNames[i])] = result.provenance_ms[i];
  }
  return json;
}

constexpr std::int64_t kMostCount = std::numeric_limits<std::int64_t>::max() / 2;

double number_at(const json::Node& node, std::string_view key) {
  return json::ObjectReader(node).required(key).number();
}

std::int64_t count_at(const json::Node& node, std::string_view key) {
  return json::ObjectReader(node).required(key).integer(0, kMostCount);
}

std::optional<MemoryReport> read_memory(const json::Node& node) {
  const auto fullest = node.find("fullest_stage");
  if (!fullest) return std::nullopt;
  MemoryReport memory;
  for (const json::Node& stage : json::ObjectReader(node).required("stages").elements()) {
    MemoryUse& use = memory.stages.emplace_back();
    for (const MemoryField& field : kMemoryFields) use.*field.member = number_at(stage, field.name);
  }
  const auto last = static_cast<std::int64_t>(memory.stages.size()) - 1;
  memory.fullest = static_cast<int>(fullest->integer(0, last));
  memory.kv_cache_capacity_tokens = count_at(node, "kv_cache_capacity_tokens");
  memory.max_batch = count_at(node, "max_batch");
  return memory;
}

kernels::Bound read_bound(const json::Node& node) {
  const auto& names = kernels::kBoundNames;
  const std::vector<std::string> known(names.begin(), names.end());
  const std::string name = node.name("bound", known);
  return static_cast<kernels::Bound>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::vector<workload::BreakdownRow> read_breakdown(const json::Node& node) {
  std::vector<workload::BreakdownRow> rows;
  for (const json::Node& element : node.elements()) {
    json::ObjectReader reader(element);
    workload::BreakdownRow& row = rows.emplace_back();
    row.phase = reader.required("phase").string();
    row.kernel = reader.required("kernel").string();
    row.count = count_at(element, "count");
    row.time_ms = number_at(element, "time_ms");
    row.share = number_at(element, "share");
    row.bound = read_bound(reader.required("bound"));
  }
  return rows;
}

}  // namespace

ordered_json result_json(const scenario::Scenario& scenario, const workload::Result& result,
                         std::string_view version, std::optional<double> wall_s) {
  ordered_json json;
  json["scenario"] = to_json(scenario);
  json["feasible"] = result.feasible;
  json["reason"] = result.reason.empty() ? ordered_json(nullptr) : ordered_json(result.reason);
  json["memory"] = memory_json(result.memory);
  json["metrics"] = metrics_json(result.metrics);
  json["breakdown"] = breakdown_json(result.breakdown);
  json["provenance_ms"] = provenance_json(result);
  json["simulator"] = {{"version", version}, {"events", result.events}};
  if (wall_s) json["simulator"]["wall_s"] = *wall_s;
  return json;
}

workload::Result result_from_json(const json::Node& node) {
  json::ObjectReader reader(node);
  workload::Result result;
  result.feasible = reader.required("feasible").boolean();
  result.reason = reader.string("reason", "");
  result.memory = read_memory(reader.required("memory"));
  const json::Node metrics = reader.required("metrics");
  for (const MetricColumn& column : metric_columns()) {
    const auto number = metrics.find(column.name);
    if (number && column.member) result.metrics.*column.member = number->number();
  }
  result.breakdown = read_breakdown(reader.required("breakdown"));
  const json::Node provenance = reader.required("provenance_ms");
  for (std::size_t i = 0; i < kProvenanceCount; ++i) {
    result.provenance_ms[i] = number_at(provenance, kProvenanceNames[i]);
  }
  result.events = static_cast<std::uint64_t>(count_at(reader.required("simulator"), "events"));
  return result;
}

}  // namespace tradewind::report
