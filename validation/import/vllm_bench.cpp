// What `vllm bench` writes (vllm-project/vllm, vllm/benchmarks/{serve,latency,throughput}.py).
//
//   serve       {mean,median,pNN}_{ttft,tpot,itl,e2el}_ms in ms; duration in s; output_throughput
//               and total_token_throughput in tokens/s; request_goodput in requests/s; completed,
//               failed, total_input_tokens, total_output_tokens; request_rate (number or "inf"),
//               max_concurrency (number or null), burstiness. With --append-result one a line.
//   latency     avg_latency and latencies in s: a batch from start to end, repeated; lengths and
//               batch are not in the file.
//   throughput  elapsed_time in s, num_requests, tokens_per_second (input and output together):
//               all requests at once; lengths are not in the file.
//
// tpot there is a request's (latency - ttft) / (output tokens - 1), averaged over requests, as
// ours; ttft counts from the sending of the request, queueing included, as ours.

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "validation/import/formats.h"
#include "validation/import/measured_run.h"
#include "validation/import/records.h"
#include "validation/statistics.h"

namespace tradewind::validation {
namespace {

constexpr double kMsPerS = 1e3;

std::optional<double> per_request(std::optional<double> total, double requests) {
  return total ? std::optional(*total / requests) : std::nullopt;
}

void add_times(const json::Node& result, MeasuredRun& run) {
  run.add("ttft_ms", figure(result, "mean_ttft_ms"));
  run.add("tpot_ms", figure(result, "mean_tpot_ms"));
  run.add("e2e_latency_ms", figure(result, "mean_e2el_ms"));
  for (const char* metric : {"ttft", "tpot", "itl"}) {
    const auto median = figure(result, fmt::format("median_{}_ms", metric));
    run.add(fmt::format("{}_ms_p50", metric),
            median ? median : figure(result, fmt::format("p50_{}_ms", metric)));
    for (const char* percentile : {"p90", "p99"}) {
      run.add(fmt::format("{}_ms_{}", metric, percentile),
              figure(result, fmt::format("{}_{}_ms", percentile, metric)));
    }
  }
}

void add_conditions(const json::Node& result, MeasuredRun& run) {
  if (const auto model = result.find("model_id")) run.notes.push_back("Model " + model->string());
  if (const auto date = result.find("date")) run.notes.push_back("Run of " + date->string());
  if (const auto failed = figure(result, "failed"); failed && *failed > 0) {
    run.notes.push_back(fmt::format("{:g} requests failed", *failed));
  }
  const auto burstiness = figure(result, "burstiness");
  if (burstiness && *burstiness != 1 &&
      std::isfinite(run.load->requests_per_s.value_or(INFINITY))) {
    run.notes.push_back(
        fmt::format("Arrivals of burstiness {:g}, taken as Poisson (1)", *burstiness));
  }
}

MeasuredRun serve(const json::Node& result) {
  const double completed = required_figure(result, "completed");
  if (completed < 1) member(result, "completed").fail("no request was completed");
  MeasuredRun run;
  run.load = Load{.requests = completed,
                  .concurrency = figure(result, "max_concurrency"),
                  .requests_per_s = figure_or_infinity(result, "request_rate"),
                  .input_tokens = per_request(figure(result, "total_input_tokens"), completed),
                  .output_tokens = per_request(figure(result, "total_output_tokens"), completed)};
  add_times(result, run);
  run.add("makespan_ms", required_figure(result, "duration"), kMsPerS);
  run.add("output_tokens_per_s", figure(result, "output_throughput"));
  run.add("total_tokens_per_s", figure(result, "total_token_throughput"));
  // Releases before 0.9 wrote the colon of their printed table into the name.
  const auto goodput = figure(result, "request_goodput");
  run.add("goodput_requests_per_s", goodput ? goodput : figure(result, "request_goodput:"));
  add_conditions(result, run);
  return run;
}

MeasuredRun latency(const json::Node& result) {
  MeasuredRun run;
  run.load = Load{};
  run.add("e2e_latency_ms", required_figure(result, "avg_latency"), kMsPerS);
  std::vector<double> latencies;
  if (const auto all = result.find("latencies")) {
    for (const json::Node& one : all->elements()) latencies.push_back(one.number(json::kPositive));
  }
  if (latencies.size() < 2) return run;
  const double average = mean(latencies);
  double squares = 0;
  for (const double one : latencies) squares += (one - average) * (one - average);
  run.uncertainty = std::sqrt(squares / static_cast<double>(latencies.size() - 1)) / average;
  run.notes.push_back(fmt::format("Mean of {} repetitions", latencies.size()));
  return run;
}

MeasuredRun throughput(const json::Node& result) {
  MeasuredRun run;
  run.load = Load{.requests = required_figure(result, "num_requests"),
                  .requests_per_s = std::numeric_limits<double>::infinity()};
  if (*run.load->requests < 1) member(result, "num_requests").fail("no request was run");
  run.add("makespan_ms", required_figure(result, "elapsed_time"), kMsPerS);
  run.add("total_tokens_per_s", figure(result, "tokens_per_second"));
  return run;
}

MeasuredRun read_run(const json::Node& result) {
  if (result.find("avg_latency")) return latency(result);
  if (result.find("elapsed_time")) return throughput(result);
  if (result.find("duration")) return serve(result);
  result.fail(
      "is no result of vllm bench: it has none of \"duration\" (serve), \"avg_latency\" (latency) "
      "and \"elapsed_time\" (throughput)");
}

}  // namespace

Imported import_vllm_bench(std::istream& in, const ImportRequest& request) {
  std::vector<MeasuredRun> runs;
  for (const json::Document& record : read_records(in, request.name())) {
    runs.push_back(read_run(record.root()));
  }
  return trace_of(runs, "vllm-bench", request);
}

}  // namespace tradewind::validation
