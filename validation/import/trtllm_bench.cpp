// The report that `trtllm-bench throughput|latency --report_json` writes (NVIDIA/TensorRT-LLM,
// tensorrt_llm/bench/dataclasses/reporting.py).
//
//   world_info    tp_size, pp_size; issue_rate in requests/s (Infinity: all at once)
//   request_info  num_requests, avg_num_concurrent_requests, avg_input_length, avg_output_length
//   performance   total_latency_ms (the whole run), avg_request_latency_ms, and in tokens/s
//                 system_output_throughput_tok_s, system_total_throughput_tok_s,
//                 output_throughput_per_gpu_tok_s
//   streaming_metrics (with --streaming)  avg_ttft_ms, avg_tpot_ms, {ttft,tpot}_percentiles in ms
//
// output_throughput_per_user_tok_s counts the context phase in and is not our tokens per second
// and user (1000 / TPOT): it is passed over. Requests at a finite rate are issued at even
// intervals; our nearest arrival is Poisson.

#include <fmt/format.h>

#include <cmath>

#include "validation/import/formats.h"
#include "validation/import/measured_run.h"
#include "validation/import/records.h"

namespace tradewind::validation {
namespace {

constexpr int kMostRanks = 1'000'000;

std::optional<int> degree(const json::Node& world, std::string_view key) {
  const auto found = world.find(key);
  return found ? std::optional(static_cast<int>(found->integer(1, kMostRanks))) : std::nullopt;
}

Load load_of(const json::Node& report, const json::Node& world) {
  const json::Node requests = member(report, "request_info");
  return {.requests = required_figure(requests, "num_requests"),
          .concurrency = figure(requests, "avg_num_concurrent_requests"),
          .concurrency_is_mean = true,
          .requests_per_s = figure_or_infinity(world, "issue_rate"),
          .input_tokens = figure(requests, "avg_input_length"),
          .output_tokens = figure(requests, "avg_output_length")};
}

void add_streaming(const json::Node& streaming, MeasuredRun& run) {
  run.add("ttft_ms", figure(streaming, "avg_ttft_ms"));
  run.add("tpot_ms", figure(streaming, "avg_tpot_ms"));
  for (const char* metric : {"ttft", "tpot"}) {
    const auto percentiles = streaming.find(fmt::format("{}_percentiles", metric));
    if (!percentiles) continue;
    for (const char* percentile : {"p50", "p90", "p99"}) {
      run.add(fmt::format("{}_ms_{}", metric, percentile), figure(*percentiles, percentile));
    }
  }
}

MeasuredRun read_run(const json::Node& report) {
  const json::Node world = member(report, "world_info");
  const json::Node performance = member(report, "performance");
  MeasuredRun run;
  run.load = load_of(report, world);
  run.tp = degree(world, "tp_size");
  run.pp = degree(world, "pp_size");
  if (const auto streaming = report.find("streaming_metrics")) add_streaming(*streaming, run);
  run.add("e2e_latency_ms", figure(performance, "avg_request_latency_ms"));
  run.add("makespan_ms", required_figure(performance, "total_latency_ms"));
  run.add("output_tokens_per_s", figure(performance, "system_output_throughput_tok_s"));
  run.add("total_tokens_per_s", figure(performance, "system_total_throughput_tok_s"));
  run.add("output_tokens_per_s_per_device", figure(performance, "output_throughput_per_gpu_tok_s"));
  if (run.load->requests_per_s && std::isfinite(*run.load->requests_per_s)) {
    run.notes.emplace_back("Requests came at even intervals, taken as Poisson");
  }
  if (const auto engine = report.find("engine")) {
    if (const auto version = engine->find("version")) {
      run.notes.push_back("TensorRT-LLM " + version->string());
    }
  }
  return run;
}

}  // namespace

Imported import_trtllm_bench(std::istream& in, const ImportRequest& request) {
  std::vector<MeasuredRun> runs;
  for (const json::Document& record : read_records(in, request.name())) {
    runs.push_back(read_run(record.root()));
  }
  return trace_of(runs, "trtllm-bench", request);
}

}  // namespace tradewind::validation
