// What `aiperf profile` exports (ai-dynamo/aiperf, the successor of genai-perf), either of
//
//   profile_export_aiperf.json  a member by metric: {unit, avg, p50, p90, p99 ...}; input_config is
//                               the command's own configuration (loadgen: concurrency,
//                               request_rate in requests/s). Releases differ in whether metrics
//                               stand at the top or under "records".
//   profile_export.jsonl        a request a line: metadata {request_start_ns, request_end_ns,
//                               benchmark_phase}, metrics {NAME: {value, unit}}, error. Warm-up
//                               and failed requests are passed over; means, percentiles (linear,
//                               as NumPy's) and throughput are taken here. The load is not in it.
//
// AIPerf's inter_token_latency is a request's mean gap, which is our TPOT (and vLLM's); its
// inter_chunk_latency is our ITL. Units are read from the file and turned into ms.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "validation/import/formats.h"
#include "validation/import/measured_run.h"
#include "validation/import/records.h"
#include "validation/statistics.h"

namespace tradewind::validation {
namespace {

constexpr double kMsPerS = 1e3, kMsPerNs = 1e-6;

/// An AIPerf metric that is a time, and what we call its mean and the stem of its percentiles.
struct TimeMetric {
  const char* name;
  const char* mean;     ///< nullptr: we have no such mean
  const char* percent;  ///< nullptr: we have no such percentiles
};
constexpr TimeMetric kTimes[] = {{"time_to_first_token", "ttft_ms", "ttft_ms"},
                                 {"inter_token_latency", "tpot_ms", "tpot_ms"},
                                 {"inter_chunk_latency", nullptr, "itl_ms"},
                                 {"request_latency", "e2e_latency_ms", nullptr}};

double ms_of_unit(const json::Node& metric) {
  static const std::vector<std::string> kUnits = {"ns", "us", "ms", "sec", "s"};
  constexpr double kInMs[] = {1e-6, 1e-3, 1, 1e3, 1e3};
  const std::string unit = member(metric, "unit").name("unit", kUnits);
  return kInMs[std::find(kUnits.begin(), kUnits.end(), unit) - kUnits.begin()];
}

std::optional<double> average(const json::Node& metrics, std::string_view name) {
  const auto metric = metrics.find(name);
  return metric ? figure(*metric, "avg") : std::nullopt;
}

Load load_of(const json::Node& report, const json::Node& metrics) {
  Load load{.requests = average(metrics, "request_count"),
            .input_tokens = average(metrics, "input_sequence_length"),
            .output_tokens = average(metrics, "output_sequence_length")};
  const auto config = report.find("input_config");
  const auto generator = config ? config->find("loadgen") : std::nullopt;
  if (!generator) return load;
  load.concurrency = figure(*generator, "concurrency");
  load.requests_per_s = figure(*generator, "request_rate");
  // Without a rate, AIPerf sends as fast as the concurrency lets it.
  if (!load.requests_per_s) load.requests_per_s = std::numeric_limits<double>::infinity();
  return load;
}

MeasuredRun read_report(const json::Node& report) {
  const json::Node metrics = report.find("records").value_or(report);
  if (!metrics.find("request_latency")) {
    report.fail("is no AIPerf export: it has no metric \"request_latency\"");
  }
  MeasuredRun run;
  run.load = load_of(report, metrics);
  for (const TimeMetric& time : kTimes) {
    const auto metric = metrics.find(time.name);
    if (!metric) continue;
    const double scale = ms_of_unit(*metric);
    if (time.mean) run.add(time.mean, figure(*metric, "avg"), scale);
    for (const char* percentile : {"p50", "p90", "p99"}) {
      if (!time.percent) break;
      run.add(fmt::format("{}_{}", time.percent, percentile), figure(*metric, percentile), scale);
    }
  }
  if (const auto duration = metrics.find("benchmark_duration")) {
    run.add("makespan_ms", figure(*duration, "avg"), ms_of_unit(*duration));
  }
  run.add("output_tokens_per_s", average(metrics, "output_token_throughput"));
  run.add("total_tokens_per_s", average(metrics, "total_token_throughput"));
  run.add("goodput_requests_per_s", average(metrics, "goodput"));
  return run;
}

/// Sums over the requests of a profile_export.jsonl.
struct Requests {
  std::map<std::string, std::vector<double>> times_ms;  ///< by AIPerf's name
  std::vector<double> input_tokens, output_tokens;
  double first_ns = std::numeric_limits<double>::infinity(), last_ns = 0;
  int failed = 0;
};

void add_request(const json::Node& record, Requests& requests) {
  const json::Node metadata = member(record, "metadata");
  const auto phase = metadata.find("benchmark_phase");
  if (phase && phase->string() == "warmup") return;
  if (record.find("error")) {
    ++requests.failed;
    return;
  }
  const double start_ns = required_figure(metadata, "request_start_ns");
  const double end_ns = required_figure(metadata, "request_end_ns");
  if (end_ns < start_ns) metadata.fail("\"request_end_ns\" is before \"request_start_ns\"");
  requests.first_ns = std::min(requests.first_ns, start_ns);
  requests.last_ns = std::max(requests.last_ns, end_ns);
  const json::Node metrics = member(record, "metrics");
  for (const TimeMetric& time : kTimes) {
    const auto metric = metrics.find(time.name);
    if (!metric || member(*metric, "value").is_array()) continue;
    requests.times_ms[time.name].push_back(required_figure(*metric, "value") * ms_of_unit(*metric));
  }
  const auto count = [&](const char* name, std::vector<double>& counts) {
    if (const auto metric = metrics.find(name)) counts.push_back(required_figure(*metric, "value"));
  };
  count("input_sequence_length", requests.input_tokens);
  count("output_sequence_length", requests.output_tokens);
}

MeasuredRun run_of(const Requests& requests) {
  MeasuredRun run;
  const double count = static_cast<double>(requests.times_ms.at("request_latency").size());
  run.load = Load{.requests = count};
  if (!requests.input_tokens.empty()) run.load->input_tokens = mean(requests.input_tokens);
  if (!requests.output_tokens.empty()) run.load->output_tokens = mean(requests.output_tokens);
  for (const TimeMetric& time : kTimes) {
    const auto found = requests.times_ms.find(time.name);
    if (found == requests.times_ms.end()) continue;
    if (time.mean) run.add(time.mean, mean(found->second));
    if (!time.percent) continue;
    run.add(fmt::format("{}_p50", time.percent), quantile(found->second, 0.5));
    run.add(fmt::format("{}_p90", time.percent), quantile(found->second, 0.9));
    run.add(fmt::format("{}_p99", time.percent), quantile(found->second, 0.99));
  }
  const double makespan_ms = (requests.last_ns - requests.first_ns) * kMsPerNs;
  run.add("makespan_ms", makespan_ms);
  if (run.load->output_tokens && makespan_ms > 0) {
    run.add("output_tokens_per_s", *run.load->output_tokens * count / makespan_ms, kMsPerS);
  }
  if (requests.failed > 0) run.notes.push_back(fmt::format("{} requests failed", requests.failed));
  return run;
}

MeasuredRun read_requests(const std::vector<json::Document>& records, const std::string& file) {
  Requests requests;
  for (const json::Document& record : records) add_request(record.root(), requests);
  if (!requests.times_ms.contains("request_latency")) {
    throw InputError(file, "", "has no finished request with a \"request_latency\"");
  }
  return run_of(requests);
}

}  // namespace

Imported import_aiperf(std::istream& in, const ImportRequest& request) {
  const std::vector<json::Document> records = read_records(in, request.name());
  const bool is_one_report = !records.front().root().find("metadata");
  if (!is_one_report) return trace_of({read_requests(records, request.name())}, "aiperf", request);
  std::vector<MeasuredRun> runs;
  for (const json::Document& record : records) runs.push_back(read_report(record.root()));
  return trace_of(runs, "aiperf", request);
}

}  // namespace tradewind::validation
