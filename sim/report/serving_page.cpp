#include "sim/report/serving_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/report/assets.h"
#include "sim/report/frame.h"
#include "sim/report/outcome.h"
#include "sim/report/serving_curves.h"

namespace tradewind::report {
namespace {

using workload::Metrics;

constexpr OutcomeFigure kFigures[] = {
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
  Frame frame;
  frame.title = scenario.name.empty() ? "Serving" : scenario.name;
  frame.subject = outcome_subject(scenario);
  frame.body = outcome_section(kFigures, result) + std::string(serving_html());
  frame.origin = origin_lines(origin, scenario);
  frame.data = data_json(serving, *result.serving);
  frame.script = serving_js();
  return framed(frame);
}

}  // namespace tradewind::report
