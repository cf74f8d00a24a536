#include "sim/report/result_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "sim/report/json_text.h"
#include "sim/report/metric_columns.h"
#include "sim/scenario/reader.h"

namespace tradewind::report {
namespace {

using scenario::MemoryReport;
using scenario::MemoryUse;

constexpr std::size_t kUsualBytes = 8192;  ///< of a result's text

struct MemoryField {
  const char* name;
  double MemoryUse::*member;
};
constexpr MemoryField kMemoryFields[] = {{"weights_bytes", &MemoryUse::weights_bytes},
                                         {"kv_cache_bytes", &MemoryUse::kv_cache_bytes},
                                         {"activations_bytes", &MemoryUse::activations_bytes},
                                         {"reserved_bytes", &MemoryUse::reserved_bytes},
                                         {"capacity_bytes", &MemoryUse::capacity_bytes}};

/// What training has and serving has not.
constexpr MemoryField kTrainingFields[] = {{"gradients_bytes", &MemoryUse::gradients_bytes},
                                           {"optimizer_bytes", &MemoryUse::optimizer_bytes}};

/// Training keeps no KV cache, and nothing else has gradients.
bool applies(const MemoryField& field, bool trains) {
  const bool of_training =
      field.member == &MemoryUse::gradients_bytes || field.member == &MemoryUse::optimizer_bytes;
  return trains ? field.member != &MemoryUse::kv_cache_bytes : !of_training;
}

/// Of one device; null where nothing is known or it does not apply.
void append_fields(JsonObject& object, std::span<const MemoryField> fields, const MemoryUse* use,
                   bool trains) {
  for (const MemoryField& field : fields) {
    object.number(field.name,
                  use && applies(field, trains) ? std::optional(use->*field.member) : std::nullopt);
  }
}

void append_use(std::string& text, const MemoryUse& use, bool trains) {
  JsonObject object(text);
  append_fields(object, kMemoryFields, &use, trains);
  if (trains) append_fields(object, kTrainingFields, &use, trains);
  object.close();
}

void append_memory(std::string& text, const scenario::Scenario& scenario,
                   const std::optional<MemoryReport>& memory) {
  // A cache is of what answers; a batch that fits is a static batch's.
  const bool trains = std::holds_alternative<scenario::Training>(scenario.workload);
  const bool has_cache =
      memory && !trains && !std::holds_alternative<scenario::Block>(scenario.workload);
  const bool has_batch = memory && std::holds_alternative<scenario::StaticBatch>(scenario.workload);
  const auto if_known = [](bool known, std::int64_t count) {
    return known ? std::optional(count) : std::nullopt;
  };
  const MemoryUse* fullest = memory ? &memory->fullest_stage() : nullptr;
  JsonObject object(text);
  append_fields(object, kMemoryFields, fullest, trains);
  object.count("kv_cache_capacity_tokens",
               if_known(has_cache, has_cache ? memory->kv_cache_capacity_tokens : 0));
  object.count("max_batch", if_known(has_batch, has_batch ? memory->max_batch : 0));
  append_fields(object, kTrainingFields, fullest, trains);
  object.count("fullest_stage", if_known(memory.has_value(), memory ? memory->fullest : 0));
  object.member("stages") += '[';
  for (std::size_t i = 0; memory && i < memory->stages.size(); ++i) {
    if (i > 0) text += ',';
    append_use(text, memory->stages[i], trains);
  }
  text += ']';
  object.close();
}

void append_metrics(std::string& text, const workload::Metrics& metrics) {
  JsonObject object(text);
  for (const MetricColumn& column : metric_columns()) {
    object.number(column.name, column.of(metrics));
  }
  object.close();
}

void append_breakdown(std::string& text, const std::vector<workload::BreakdownRow>& rows) {
  text += '[';
  for (const workload::BreakdownRow& row : rows) {
    if (text.back() != '[') text += ',';
    JsonObject object(text);
    object.string("phase", row.phase);
    object.string("kernel", row.kernel);
    object.count("count", row.count);
    object.number("time_ms", row.time_ms);
    object.number("share", row.share);
    object.string("bound", to_string(row.bound));
    object.close();
  }
  text += ']';
}

void append_communication(std::string& text, const std::vector<workload::CommunicationRow>& rows) {
  text += '[';
  for (const workload::CommunicationRow& row : rows) {
    if (text.back() != '[') text += ',';
    JsonObject object(text);
    object.string("collective", row.collective);
    object.number("in_flight_ms", row.in_flight_ms);
    object.number("exposed_ms", row.exposed_ms);
    object.close();
  }
  text += ']';
}

void append_notes(std::string& text, const std::vector<std::string>& notes) {
  text += '[';
  for (const std::string& note : notes) {
    if (text.back() != '[') text += ',';
    append_json_string(text, note);
  }
  text += ']';
}

void append_provenance(std::string& text, const workload::Result& result) {
  JsonObject object(text);
  for (std::size_t i = 0; i < kProvenanceCount; ++i) {
    object.number(kProvenanceNames[i], result.provenance_ms[i]);
  }
  object.close();
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
    for (const auto& fields : {std::span<const MemoryField>(kMemoryFields),
                               std::span<const MemoryField>(kTrainingFields)}) {
      for (const MemoryField& field : fields) {
        if (const auto bytes = stage.find(field.name)) use.*field.member = bytes->number();
      }
    }
  }
  const auto last = static_cast<std::int64_t>(memory.stages.size()) - 1;
  memory.fullest = static_cast<int>(fullest->integer(0, last));
  json::ObjectReader reader(node);
  memory.kv_cache_capacity_tokens = reader.integer("kv_cache_capacity_tokens", 0, 0, kMostCount);
  memory.max_batch = reader.integer("max_batch", 0, 0, kMostCount);
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

/// Both may be absent: results of earlier versions had neither.
void read_communication(const json::Node& node, workload::Result& result) {
  if (const auto rows = node.find("communication")) {
    for (const json::Node& row : rows->elements()) {
      result.communication.push_back({json::ObjectReader(row).required("collective").string(),
                                      number_at(row, "in_flight_ms"),
                                      number_at(row, "exposed_ms")});
    }
  }
  if (const auto notes = node.find("notes")) {
    for (const json::Node& note : notes->elements()) result.notes.push_back(note.string());
  }
}

}  // namespace

std::string result_text(const scenario::Scenario& scenario, const workload::Result& result,
                        std::string_view version, std::optional<double> wall_s) {
  std::string text;
  text.reserve(kUsualBytes);
  JsonObject object(text);
  object.member("scenario") += to_json(scenario).dump();
  object.member("feasible") += result.feasible ? "true" : "false";
  if (result.reason.empty()) {
    object.member("reason") += "null";
  } else {
    object.string("reason", result.reason);
  }
  append_memory(object.member("memory"), scenario, result.memory);
  append_metrics(object.member("metrics"), result.metrics);
  append_breakdown(object.member("breakdown"), result.breakdown);
  append_communication(object.member("communication"), result.communication);
  append_notes(object.member("notes"), result.notes);
  append_provenance(object.member("provenance_ms"), result);
  JsonObject simulator(object.member("simulator"));
  simulator.string("version", version);
  simulator.count("events", static_cast<std::int64_t>(result.events));
  if (wall_s) simulator.number("wall_s", wall_s);
  simulator.close();
  object.close();
  return text;
}

nlohmann::ordered_json result_json(const scenario::Scenario& scenario,
                                   const workload::Result& result, std::string_view version,
                                   std::optional<double> wall_s) {
  return nlohmann::ordered_json::parse(result_text(scenario, result, version, wall_s));
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
  read_communication(node, result);
  const json::Node provenance = reader.required("provenance_ms");
  for (std::size_t i = 0; i < kProvenanceCount; ++i) {
    result.provenance_ms[i] = number_at(provenance, kProvenanceNames[i]);
  }
  result.events = static_cast<std::uint64_t>(count_at(reader.required("simulator"), "events"));
  return result;
}

}  // namespace tradewind::report
