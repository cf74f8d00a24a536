#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include "sim/scenario/reader.h"
#include "sim/workload/run.h"

namespace {

using namespace tradewind;

const char* const kPrefill = R"({"model": "llama-3.1-70b", "cluster": "h100-8", "precision": "bf16",
  "runtime": "vllm", "plan": {"tp": 8, "sequence_parallel": true, "memory_check": "report"},
  "workload": {"kind": "static_batch", "batch": 1, "input_tokens": 8192, "output_tokens": 1}})";

scenario::Scenario prefill(const char* strategy, scenario::Catalogue& catalogue) {
  nlohmann::json document = nlohmann::json::parse(kPrefill);
  document["plan"]["overlap"] = strategy;
  return scenario::read_scenario(json::Node(document, "bench", ""), catalogue);
}

/// A 70B prefill at TP8 under every strategy, as four points of a sweep.
void all_strategies(benchmark::State& state) {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  for (auto _ : state) {
    for (const char* strategy : {"vanilla", "slicing", "decompose", "flash"}) {
      benchmark::DoNotOptimize(workload::run(prefill(strategy, catalogue)));
    }
  }
}
BENCHMARK(all_strategies)->Unit(benchmark::kMillisecond);

/// The same under flash with all 8 ranks and 80 layers in one graph, with and without
/// communication.
void flash_unfolded(benchmark::State& state) {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  const scenario::Scenario scenario = prefill("flash", catalogue);
  for (auto _ : state) benchmark::DoNotOptimize(workload::run(scenario, {.full = true}));
}
BENCHMARK(flash_unfolded)->Unit(benchmark::kMillisecond);

}  // namespace
