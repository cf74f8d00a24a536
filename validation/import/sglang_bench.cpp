// What `python -m sglang.bench_serving` appends (sgl-project/sglang,
// python/sglang/bench_serving.py): one JSON object a line and run.
//
//   {mean,median,p90,p99}_{ttft,tpot,itl,e2e_latency}_ms in ms; duration in s; output_throughput
//   and total_throughput in tokens/s (total: of newer releases; before, input_throughput +
//   output_throughput); completed, total_input_tokens, total_output_tokens; request_rate (number,
//   Infinity, or "trace": by the data set's timestamps), max_concurrency (number or null),
//   accept_length (tokens a step under speculative decoding, else null).
//
// The definitions are vLLM's, from which the script descends.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "validation/import/formats.h"
#include "validation/import/measured_run.h"
#include "validation/import/records.h"

namespace tradewind::validation {
namespace {

constexpr double kMsPerS = 1e3;

Load load_of(const json::Node& result, double completed) {
  Load load{.requests = completed, .concurrency = figure(result, "max_concurrency")};
  const auto rate = result.find("request_rate");
  if (!rate || rate->value() != "trace") {
    load.requests_per_s = figure_or_infinity(result, "request_rate");
  }
  if (const auto total = figure(result, "total_input_tokens")) {
    load.input_tokens = *total / completed;
  }
  if (const auto total = figure(result, "total_output_tokens")) {
    load.output_tokens = *total / completed;
  }
  return load;
}

std::optional<double> total_throughput(const json::Node& result) {
  if (const auto total = figure(result, "total_throughput")) return total;
  const auto input = figure(result, "input_throughput");
  const auto output = figure(result, "output_throughput");
  return input && output ? std::optional(*input + *output) : std::nullopt;
}

MeasuredRun read_run(const json::Node& result) {
  const double completed = required_figure(result, "completed");
  if (completed < 1) member(result, "completed").fail("no request was completed");
  MeasuredRun run;
  run.load = load_of(result, completed);
  run.add("ttft_ms", figure(result, "mean_ttft_ms"));
  run.add("tpot_ms", figure(result, "mean_tpot_ms"));
  run.add("e2e_latency_ms", figure(result, "mean_e2e_latency_ms"));
  for (const char* metric : {"ttft", "tpot", "itl"}) {
    run.add(fmt::format("{}_ms_p50", metric), figure(result, fmt::format("median_{}_ms", metric)));
    run.add(fmt::format("{}_ms_p90", metric), figure(result, fmt::format("p90_{}_ms", metric)));
    run.add(fmt::format("{}_ms_p99", metric), figure(result, fmt::format("p99_{}_ms", metric)));
  }
  run.add("makespan_ms", required_figure(result, "duration"), kMsPerS);
  run.add("output_tokens_per_s", figure(result, "output_throughput"));
  run.add("total_tokens_per_s", total_throughput(result));
  if (const auto dataset = result.find("dataset_name")) {
    run.notes.push_back("Data set " + dataset->string());
  }
  if (const auto accepted = figure(result, "accept_length"); accepted && *accepted > 1) {
    run.notes.push_back(fmt::format("Speculative decoding, {:g} tokens a step", *accepted));
  }
  return run;
}

}  // namespace

Imported import_sglang_bench(std::istream& in, const ImportRequest& request) {
  std::vector<MeasuredRun> runs;
  for (const json::Document& record : read_records(in, request.name())) {
    runs.push_back(read_run(record.root()));
  }
  return trace_of(runs, "sglang-bench", request);
}

}  // namespace tradewind::validation
