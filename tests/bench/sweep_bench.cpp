#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include "sim/scenario/reader.h"
#include "sim/study/sweep.h"
#include "sim/workload/run.h"

namespace {

using namespace tradewind;

const char* const kPoint = R"({"model": "llama-3.1-70b", "cluster": "mi325x-8", "precision": "fp8",
  "runtime": "vllm", "plan": {"tp": 8},
  "workload": {"kind": "static_batch", "batch": 64, "input_tokens": 1024, "output_tokens": 128}})";

/// One point of a sweep, profiles read already: 70B, TP8, 1024 in, 128 out.
void static_batch_point(benchmark::State& state) {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  const json::Document document = json::Document::parse(kPoint, "point");
  for (auto _ : state) {
    const scenario::Scenario scenario = scenario::read_scenario(document.root(), catalogue);
    benchmark::DoNotOptimize(workload::run(scenario));
  }
}
BENCHMARK(static_batch_point)->Unit(benchmark::kMicrosecond);

/// Reading the data and answering once, as `tradewind run` does.
void first_answer(benchmark::State& state) {
  const json::Document document = json::Document::parse(kPoint, "point");
  for (auto _ : state) {
    scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
    benchmark::DoNotOptimize(workload::run(scenario::read_scenario(document.root(), catalogue)));
  }
}
BENCHMARK(first_answer)->Unit(benchmark::kMillisecond);

/// A sweep of so many points on one thread, without writing results.
void sweep(benchmark::State& state) {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  std::string batches = "1";
  for (int i = 2; i <= state.range(0) / 4; ++i) batches.append(",").append(std::to_string(i));
  const study::Sweep sweep = study::read_sweep(
      std::string("{\"base\":") + kPoint + ",\"axes\":{\"plan.tp\":[1,2,4,8],\"workload.batch\":[" +
          batches + "]}}",
      "sweep");
  study::SweepOptions options;
  options.jobs = 1;
  for (auto _ : state) benchmark::DoNotOptimize(study::run_sweep(sweep, catalogue, options));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(sweep)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace
