#include "validation/import/measured_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/scenario/catalogue.h"
#include "validation/trace.h"

namespace tradewind::validation {
namespace {

using Json = nlohmann::ordered_json;

Json load_scenario(std::string_view format, const ImportRequest& request) {
  if (request.scenario.empty()) {
    throw InputError("--scenario", "",
                     fmt::format("is needed: a {} result does not say on which cluster, at which "
                                 "precision and under which plan it ran",
                                 format));
  }
  const json::Document document = json::Document::load(request.scenario);
  if (!document.root().is_object()) document.root().expected("a scenario object");
  Json scenario = document.value();
  scenario.erase("$schema");  // its path was relative to the scenario's own place
  return scenario;
}

void check_degree(Json& plan, const char* degree, std::optional<int> measured,
                  const std::string& file) {
  if (!measured) return;
  if (!plan.contains(degree)) {
    plan[degree] = *measured;
  } else if (plan[degree] != *measured) {
    throw InputError(file, fmt::format("/plan/{}", degree),
                     fmt::format("found {}, but {} was measured", plan[degree].dump(), *measured));
  }
}

Json scenario_of(const MeasuredRun& run, Json scenario, const std::string& file) {
  if (run.tp || run.pp) {
    Json& plan = scenario["plan"];
    if (plan.is_null()) plan = Json::object();
    if (!plan.is_object()) throw InputError(file, "/plan", "expected an object");
    check_degree(plan, "tp", run.tp, file);
    check_degree(plan, "pp", run.pp, file);
  }
  if (run.load) complete_workload(scenario, *run.load, file);
  return scenario;
}

bool is_of_serving_only(std::string_view metric) {
  return metric.find("_ms_p") != std::string_view::npos || metric.starts_with("goodput");
}

Json measured_of(const MeasuredRun& run, const Json& workload) {
  const bool is_static = run.load && workload["kind"] == "static_batch";
  const bool is_one_batch =
      !is_static || !run.load->requests || workload.value("batch", Json()) == *run.load->requests;
  Json measured = Json::object();
  for (const auto& [metric, value] : run.metrics) {
    if (is_static && is_of_serving_only(metric)) continue;
    if (metric == "makespan_ms" && !is_one_batch) continue;
    measured[metric] = value;
  }
  return measured;
}

std::string stem_of(const ImportRequest& request) {
  return request.file == "-" ? "stdin" : std::filesystem::path(request.file).stem().string();
}

Json point_of(const MeasuredRun& run, const std::string& id, const Json& scenario,
              const ImportRequest& request) {
  Json point = {{"id", id}, {"scenario", scenario_of(run, scenario, request.scenario)}};
  point["measured"] = measured_of(run, point["scenario"].value("workload", Json()));
  if (point["measured"].empty()) {
    throw InputError(request.name(), "", "has no figure that tradewind has a metric for");
  }
  if (run.uncertainty > 0) point["uncertainty"] = run.uncertainty;
  if (!request.group.empty()) point["group"] = request.group;
  point["split"] = request.split.empty() ? "check" : request.split;
  if (!run.notes.empty()) point["notes"] = fmt::format("{}.", fmt::join(run.notes, ". "));
  return point;
}

/// Complaints about a point's scenario belong to the scenario's file.
void read_back(const std::string& text, const ImportRequest& request) {
  try {
    scenario::Catalogue catalogue(request.data);
    parse_trace(text, request.name(), false, catalogue);
  } catch (const InputError& error) {
    const std::size_t at = error.pointer().find("/scenario");
    if (!error.pointer().starts_with("/points/") || at == std::string::npos) throw;
    const std::string pointer = error.pointer().substr(at + std::string_view("/scenario").size());
    throw InputError(request.scenario, pointer.empty() ? "/" : pointer, error.message());
  }
}

}  // namespace

void MeasuredRun::add(std::string metric, std::optional<double> value, double scale) {
  if (value && *value > 0) metrics.emplace_back(std::move(metric), *value * scale);
}

Imported trace_of(const std::vector<MeasuredRun>& runs, std::string_view format,
                  const ImportRequest& request, const nlohmann::ordered_json& about) {
  const Json scenario = load_scenario(format, request);
  const std::string stem = stem_of(request);
  Json trace = {{"source", fmt::format("{} result {}", format, stem)}};
  trace.update(about);
  trace["points"] = Json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string number = runs.size() > 1 ? fmt::format("/{}", i + 1) : "";
    trace["points"].push_back(
        point_of(runs[i], fmt::format("{}/{}{}", format, stem, number), scenario, request));
  }
  Imported imported;
  imported.text = trace.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  read_back(imported.text, request);
  return imported;
}

Imported trace_of(const std::vector<MeasuredRun>& runs, std::string_view format,
                  const ImportRequest& request) {
  return trace_of(runs, format, request, Json::object());
}

}  // namespace tradewind::validation
