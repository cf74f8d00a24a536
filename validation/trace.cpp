#include "validation/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/report/metric_columns.h"
#include "sim/scenario/reader.h"

namespace tradewind::validation {
namespace {

constexpr json::Range kRelative{0, 10};
const std::vector<std::string> kSplits = {"fit", "check"};
const std::vector<std::string> kPointMembers = {"id",    "scenario", "measured", "uncertainty",
                                                "group", "split",    "source",   "license",
                                                "notes", "tolerance"};
const std::vector<std::string> kHeaderMembers = {"source",    "license", "notes",
                                                 "tolerance", "group",   "points"};

/// What a document says for all of its points.
struct Header {
  std::string source, group;
  std::optional<json::Node> tolerance;
};

/// Traces describe a measurement in more words than we read; those pass unless they look like ours.
void refuse_misspelt(const json::Node& node, const std::vector<std::string>& members) {
  for (const std::string& key : node.keys()) {
    if (std::find(members.begin(), members.end(), key) != members.end()) continue;
    const std::string_view nearest = nearest_name(key, members);
    if (!nearest.empty()) node.fail(unknown_name("member", key, members));
  }
}

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const report::MetricColumn& column : report::metric_columns()) {
      names.push_back(column.name);
    }
    return names;
  }();
  return kNames;
}

/// Of a point that is simulated: metrics that interface.md has and nothing computes yet would count
/// as wrong answers.
void refuse_uncomputed(const json::Node& measured) {
  for (const report::MetricColumn& column : report::metric_columns()) {
    if (column.member || !measured.find(column.name)) continue;
    measured.fail(fmt::format("metric \"{}\" is not simulated for this workload", column.name));
  }
}

/// A number for every metric, or an object by metric.
std::optional<double> relative_of(const std::optional<json::Node>& node,
                                  const std::string& metric) {
  if (!node) return std::nullopt;
  if (!node->is_object()) return node->number(kRelative);
  const auto of_metric = node->find(metric);
  return of_metric ? std::optional(of_metric->number(kRelative)) : std::nullopt;
}

void check_metrics(const std::optional<json::Node>& node) {
  if (!node || !node->is_object()) return;
  for (const std::string& metric : node->keys()) {
    const auto& known = metric_names();
    if (std::find(known.begin(), known.end(), metric) == known.end()) {
      node->fail(unknown_name("metric", metric, known));
    }
  }
}

std::vector<Measurement> read_measured(const json::Node& point, const json::Node& measured,
                                       const Header& header) {
  if (!measured.is_object() || measured.value().empty()) {
    measured.expected("an object of metrics with at least one");
  }
  const auto uncertainty = point.find("uncertainty"), own_tolerance = point.find("tolerance");
  for (const auto& node : {std::optional(measured), uncertainty, own_tolerance}) {
    check_metrics(node);
  }
  std::vector<Measurement> measurements;
  for (const std::string& metric : measured.keys()) {
    const auto value = measured.find(metric);
    if (!value) continue;  // null: not measured
    Measurement one{metric, value->number(json::kPositive), 0, relative_of(own_tolerance, metric)};
    one.uncertainty = relative_of(uncertainty, metric).value_or(0);
    if (!one.tolerance) one.tolerance = relative_of(header.tolerance, metric);
    measurements.push_back(std::move(one));
  }
  if (measurements.empty()) measured.fail("every metric is null");
  return measurements;
}

/// What interface.md allows in a scenario beyond today's reader; only asked about scenarios that
/// the reader refuses, so that nothing here goes stale as it learns more.
std::optional<std::string> beyond_simulator(const json::Node& scenario) {
  if (!scenario.is_object()) return std::nullopt;
  const auto plan = scenario.find("plan");
  if (!plan || !plan->is_object()) return std::nullopt;
  const auto experts = plan->find("ep");
  if (experts && experts->is_number() && experts->value() > 1) return "plan.ep above 1";
  return std::nullopt;
}

std::string place_of(const json::Node& node) {
  return node.pointer().empty() ? node.file() : fmt::format("{}: {}", node.file(), node.pointer());
}

void read_point(const json::Node& node, const Header& header, scenario::Catalogue& catalogue,
                Traces& traces) {
  json::ObjectReader reader(node);
  refuse_misspelt(node, kPointMembers);
  TracePoint point;
  point.place = place_of(node);
  const json::Node id = reader.required("id");
  point.id = id.string();
  if (point.id.empty()) id.expected("a name");
  point.group = reader.string("group", header.group);
  point.source = reader.string("source", header.source);
  const auto split = reader.optional("split");
  point.split = split ? split->name("split", kSplits) : "check";
  const json::Node scenario = reader.required("scenario");
  point.measured = read_measured(node, reader.required("measured"), header);
  try {
    point.scenario = scenario::read_scenario(scenario, catalogue);
  } catch (const InputError&) {
    const auto reason = beyond_simulator(scenario);
    if (!reason) throw;
    traces.skipped.push_back({point.id, *reason + " is not simulated yet"});
    return;
  }
  refuse_uncomputed(reader.required("measured"));
  traces.points.push_back(std::move(point));
}

std::string stem_of(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

void read_document(std::string_view text, const std::string& file, scenario::Catalogue& catalogue,
                   Traces& traces) {
  const json::Document document = json::Document::parse(text, file);
  json::ObjectReader reader(document.root());
  refuse_misspelt(document.root(), kHeaderMembers);
  const json::Node points = reader.required("points");
  Header header{reader.string("source", ""), reader.string("group", stem_of(file)),
                reader.optional("tolerance")};
  check_metrics(header.tolerance);
  for (const json::Node& point : points.elements()) read_point(point, header, catalogue, traces);
}

void read_lines(std::string_view text, const std::string& file, scenario::Catalogue& catalogue,
                Traces& traces) {
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    if (one.find_first_not_of(" \t\r") != std::string_view::npos) {
      const json::Document document = json::Document::parse(one, fmt::format("{}:{}", file, line));
      read_point(document.root(), {"", stem_of(file), std::nullopt}, catalogue, traces);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// stdin says by itself what it is: a document has its points in one object.
bool holds_lines(std::string_view text) {
  const auto first = nlohmann::json::parse(text.substr(0, text.find('\n')), nullptr, false);
  return first.is_object() && !first.contains("points");
}

}  // namespace

Traces parse_trace(std::string_view text, const std::string& file, bool is_lines,
                   scenario::Catalogue& catalogue) {
  Traces traces;
  (is_lines ? read_lines : read_document)(text, file, catalogue, traces);
  if (traces.points.empty() && traces.skipped.empty()) throw InputError(file, "", "has no points");
  return traces;
}

Traces read_traces(const std::vector<std::string>& files, scenario::Catalogue& catalogue) {
  Traces all;
  std::map<std::string, std::string> place_by_id;
  for (const std::string& file : files) {
    const std::string text = read_file(file);
    const bool is_lines = file == "-" ? holds_lines(text) : file.ends_with(".jsonl");
    Traces traces = parse_trace(text, file == "-" ? "stdin" : file, is_lines, catalogue);
    for (TracePoint& point : traces.points) {
      const auto [first, is_new] = place_by_id.emplace(point.id, point.place);
      if (!is_new) {
        throw InputError(point.place, "",
                         fmt::format("the id \"{}\" is taken by {}", point.id, first->second));
      }
      all.points.push_back(std::move(point));
    }
    std::move(traces.skipped.begin(), traces.skipped.end(), std::back_inserter(all.skipped));
  }
  return all;
}

}  // namespace tradewind::validation
