#include "sim/report/serving_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "sim/report/assets.h"
#include "sim/report/html_text.h"
#include "sim/report/labels.h"
#include "sim/report/number_text.h"
#include "sim/report/serving_curves.h"
#include "sim/scenario/reader.h"

namespace tradewind::report {
namespace {

using workload::Metrics;

struct Figure {
  const char* label;
  std::optional<double> Metrics::*member;
  double scale;
  const char* unit;
};
constexpr Figure kFigures[] = {
    {"Requests served", &Metrics::requests_per_s, 1, "/s"},
    {"Goodput under the service level", &Metrics::goodput_requests_per_s, 1, " requests/s"},
    {"Output", &Metrics::output_tokens_per_s, 1, " tokens/s"},
    {"Output a device", &Metrics::output_tokens_per_s_per_device, 1, " tokens/s"},
    {"TTFT, median", &Metrics::ttft_ms_p50, 1, " ms"},
    {"TTFT, 99 %", &Metrics::ttft_ms_p99, 1, " ms"},
    {"TPOT, median", &Metrics::tpot_ms_p50, 1, " ms"},
    {"TPOT, 99 %", &Metrics::tpot_ms_p99, 1, " ms"},
    {"End to end, median", &Metrics::e2e_latency_ms_p50, 1, " ms"},
    {"Waiting before the first step", &Metrics::queue_ms, 1, " ms"},
    {"KV cache in use, mean", &Metrics::kv_cache_usage, 100, " %"},
    {"KV cache in use, most", &Metrics::kv_cache_usage_max, 100, " %"},
    {"Preemptions", &Metrics::preemptions, 1, ""},
    {"Rejected requests", &Metrics::rejected_requests, 1, ""},
    {"Prompt tokens found in the cache", &Metrics::prefix_cache_hit_rate, 100, " %"}};

std::string figures_html(const Metrics& metrics) {
  std::string html;
  for (const Figure& figure : kFigures) {
    const std::optional<double>& value = metrics.*figure.member;
    if (!value) continue;
    html += fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", figure.label,
                        short_number(*value * figure.scale), figure.unit);
  }
  return html;
}

std::string array_json(const std::vector<double>& values) {
  std::string text = "[";
  for (const double value : values) {
    fmt::format_to(std::back_inserter(text), "{}{:.5g}", text.size() > 1 ? "," : "", value);
  }
  return text += ']';
}

std::string distribution_json(const Distribution& distribution) {
  return fmt::format("{{\"value\":{},\"share\":{}}}", array_json(distribution.value),
                     array_json(distribution.share));
}

std::string data_json(const scenario::Serving& serving, const workload::ServingOutcome& outcome) {
  const Latencies latencies = latencies_of(outcome);
  const TimeCurves curves = time_curves(outcome);
  const auto limit = [](const std::optional<double>& ms) {
    return ms ? fmt::format("{:.6g}", *ms) : std::string("null");
  };
  return fmt::format(
      "{{\"ttft\":{},\"tpot\":{},\"e2e\":{},\"limits\":{{\"ttft\":{},\"tpot\":{},\"e2e\":{}}},"
      "\"end_s\":{},\"running\":{},\"waiting\":{},\"cache\":{},\"tokens\":{},\"requests\":{}}}",
      distribution_json(latencies.ttft), distribution_json(latencies.tpot),
      distribution_json(latencies.e2e), limit(serving.slo.ttft_ms), limit(serving.slo.tpot_ms),
      limit(serving.slo.e2e_latency_ms), array_json(curves.end_s), array_json(curves.running),
      array_json(curves.waiting), array_json(curves.cache_share),
      array_json(curves.output_tokens_per_s), array_json(curves.requests_per_s));
}

}  // namespace

std::string serving_page(const scenario::Scenario& scenario, const workload::Result& result,
                         const ReportOrigin& origin) {
  const auto& serving = std::get<scenario::Serving>(scenario.workload);
  const auto line = [](std::string_view name, const std::string& value) {
    return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(value));
  };
  std::string notes;
  for (const std::string& note : result.notes) {
    notes += fmt::format("<p class=\"note\">{}</p>\n", escaped(note));
  }
  return filled(serving_html(),
                {{"title", escaped(scenario.name.empty() ? "Serving" : scenario.name)},
                 {"subject", escaped(fmt::format("{} · {} · {} · {}", system_label(scenario),
                                                 scenario.cluster->name, plan_label(scenario.plan),
                                                 workload_label(scenario.workload)))},
                 {"figures", figures_html(result.metrics)},
                 {"notes", notes},
                 {"data", data_json(serving, *result.serving)},
                 {"style", std::string(report_css())},
                 {"chart", std::string(chart_js())},
                 {"script", std::string(serving_js())},
                 {"origin", line("Simulator", "tradewind " + origin.version) +
                                line("Command", origin.command_line) +
                                line("Scenario", to_json(scenario).dump())}});
}

}  // namespace tradewind::report
