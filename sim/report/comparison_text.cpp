#include "sim/report/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/json_text.h"
#include "sim/report/labels.h"
#include "sim/report/number_text.h"
#include "sim/report/result_json.h"

namespace tradewind::report {
namespace {

using study::Compared;
using study::Comparison;
using workload::Metrics;
using workload::PassLimits;

std::optional<workload::Limit> limit_of(const Compared& compared, std::size_t pass) {
  return pass < compared.limits.size() ? compared.limits[pass].largest() : std::nullopt;
}

std::string limit_text(const Compared& compared, std::size_t pass) {
  if (pass >= compared.limits.size()) return "-";
  const std::optional<workload::Limit> limit = limit_of(compared, pass);
  return limit ? std::string(to_string(*limit)) : "computation";
}

void append_limit_name(std::string& text, const std::optional<workload::Limit>& limit) {
  if (limit) {
    append_json_string(text, to_string(*limit));
  } else {
    text += "null";
  }
}

template <class Text>
ComparisonRow row(std::string title, const Comparison& comparison, Text text) {
  ComparisonRow row{std::move(title), {}};
  for (std::size_t i = 0; i < comparison.strategies.size(); ++i) row.cells.push_back(text(i));
  return row;
}

std::string reduction_text(const std::optional<double>& reduction) {
  return reduction ? percent(*reduction) : "-";
}

struct MetricRow {
  const char* title;
  std::optional<double> Metrics::*member;
};
constexpr MetricRow kMetricRows[] = {
    {"ttft_ms", &Metrics::ttft_ms},
    {"tpot_ms", &Metrics::tpot_ms},
    {"makespan_ms", &Metrics::makespan_ms},
    {"compute_ms", &Metrics::compute_ms},
    {"exposed_communication_ms", &Metrics::exposed_communication_ms},
};

/// The strategy whose passes name the phases: any that was simulated.
const Compared* simulated(const Comparison& comparison) {
  for (const Compared& compared : comparison.strategies) {
    if (!compared.limits.empty()) return &compared;
  }
  return nullptr;
}

std::string pass_name(const std::string& phase) {
  return phase == "block" ? "the block" : fmt::format("one {} pass", phase);
}

void append_limits(std::vector<ComparisonRow>& rows, const Comparison& comparison, std::size_t pass,
                   const std::string& phase) {
  const auto cell = [&](auto value) {
    return [&comparison, pass, value](std::size_t i) {
      const std::vector<PassLimits>& limits = comparison.strategies[i].limits;
      return pass < limits.size() ? short_number(value(limits[pass]).milliseconds()) : "-";
    };
  };
  rows.push_back({fmt::format("Where the time of {} goes, ms", pass_name(phase)), {}});
  rows.push_back(row("computation, not sliced", comparison,
                     cell([](const PassLimits& limits) { return limits.computation; })));
  for (std::size_t i = 0; i < workload::kLimitCount; ++i) {
    const auto beyond = [i](const PassLimits& limits) { return limits.beyond[i]; };
    const bool counts = std::any_of(
        comparison.strategies.begin(), comparison.strategies.end(), [&](const Compared& compared) {
          return pass < compared.limits.size() && beyond(compared.limits[pass]).ps != 0;
        });
    if (!counts) continue;
    rows.push_back(row(fmt::format("+ {}", workload::kLimitNames[i]), comparison, cell(beyond)));
  }
  rows.push_back(
      row("= pass", comparison, cell([](const PassLimits& limits) { return limits.total(); })));
  rows.push_back(row("limited by", comparison,
                     [&](std::size_t i) { return limit_text(comparison.strategies[i], pass); }));
}

void append_limits_json(std::string& text, const std::vector<PassLimits>& passes) {
  text += '[';
  for (const PassLimits& pass : passes) {
    if (text.back() != '[') text += ',';
    JsonObject object(text);
    object.string("phase", pass.phase);
    append_limit_name(object.member("limit"), pass.largest());
    object.number("computation_ms", pass.computation.milliseconds());
    JsonObject beyond(object.member("beyond_ms"));
    for (std::size_t i = 0; i < workload::kLimitCount; ++i) {
      beyond.number(workload::kLimitNames[i], pass.beyond[i].milliseconds());
    }
    beyond.close();
    object.close();
  }
  text += ']';
}

}  // namespace

std::vector<ComparisonRow> comparison_rows(const Comparison& comparison) {
  std::vector<ComparisonRow> rows;
  for (const MetricRow& metric : kMetricRows) {
    const auto value = [&](std::size_t i) -> const std::optional<double>& {
      return comparison.strategies[i].result.metrics.*metric.member;
    };
    ComparisonRow line =
        row(metric.title, comparison, [&](std::size_t i) { return short_number(value(i)); });
    const auto unknown = [](const std::string& cell) { return cell == "-"; };
    if (!std::all_of(line.cells.begin(), line.cells.end(), unknown)) rows.push_back(line);
  }
  rows.push_back(row("latency reduction", comparison, [&](std::size_t i) {
    return reduction_text(latency_reduction(comparison, i));
  }));
  rows.push_back(row("exposed reduction", comparison, [&](std::size_t i) {
    return reduction_text(exposed_reduction(comparison, i));
  }));
  const Compared* any = simulated(comparison);
  for (std::size_t pass = 0; any && pass < any->limits.size(); ++pass) {
    append_limits(rows, comparison, pass, any->limits[pass].phase);
  }
  return rows;
}

std::vector<std::string> comparison_remarks(const Comparison& comparison) {
  std::vector<std::string> remarks;
  for (const Compared& compared : comparison.strategies) {
    if (!compared.result.feasible) {
      remarks.push_back(fmt::format("{}: INFEASIBLE: {}", compared.label, compared.result.reason));
    }
    for (const std::string& note : compared.result.notes) {
      remarks.push_back(fmt::format("note: {}: {}", compared.label, note));
    }
  }
  return remarks;
}

std::string comparison_table(const Comparison& comparison) {
  constexpr std::size_t kTitleWidth = 32, kCellWidth = 14;
  const Compared& reference = comparison.strategies[comparison.reference];
  std::string text = reference.scenario.name.empty() ? "" : reference.scenario.name + "\n";
  scenario::Plan plan = reference.scenario.plan;
  plan.overlap = {};
  text += fmt::format("{}: {}, {}\n{}\nreductions against {}\n\n", system_label(reference.scenario),
                      plan_label(plan), reference.scenario.cluster->name,
                      workload_label(reference.scenario.workload), reference.label);
  text += left_aligned("", kTitleWidth);
  for (const Compared& compared : comparison.strategies) {
    text += right_aligned(compared.label, kCellWidth);
  }
  text += '\n';
  for (const ComparisonRow& line : comparison_rows(comparison)) {
    if (line.cells.empty()) {
      text += "\n" + line.title + "\n";
      continue;
    }
    text += left_aligned("  " + line.title, kTitleWidth);
    for (const std::string& cell : line.cells) text += right_aligned(cell, kCellWidth);
    text += '\n';
  }
  const std::vector<std::string> remarks = comparison_remarks(comparison);
  if (!remarks.empty()) text += '\n';
  for (const std::string& remark : remarks) text += remark + '\n';
  return text;
}

std::string comparison_json(const Comparison& comparison, std::string_view version) {
  std::string text;
  JsonObject document(text);
  document.member("strategies") += '[';
  for (std::size_t i = 0; i < comparison.strategies.size(); ++i) {
    const Compared& compared = comparison.strategies[i];
    if (i > 0) text += ',';
    JsonObject object(text);
    object.string("strategy", compared.label);
    object.member("result") += result_text(compared.scenario, compared.result, version);
    object.number("latency_reduction", latency_reduction(comparison, i));
    object.number("exposed_reduction", exposed_reduction(comparison, i));
    append_limit_name(object.member("limit"), limit_of(compared, 0));
    append_limits_json(object.member("limits"), compared.limits);
    object.close();
  }
  text += ']';
  document.close();
  return text;
}

}  // namespace tradewind::report
