#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include "sim/scenario/reader.h"
#include "sim/workload/run.h"

namespace {

using namespace tradewind;

/// Llama 3.1 405B on 16,384 devices (TP8 PP16 DP128), a step of so many sequences.
void largest_step(benchmark::State& state) {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  nlohmann::json document = nlohmann::json::parse(R"({"model": "llama-3.1-405b",
    "cluster": {"node": "h100-8", "nodes": 2048, "network": "ib-ndr"},
    "precision": "bf16", "runtime": "megatron",
    "plan": {"tp": 8, "pp": 16, "dp": 128, "virtual_stages": 8, "sequence_parallel": true,
      "zero_stage": 1, "memory_check": "report"},
    "workload": {"kind": "training", "sequence_length": 8192, "micro_batch": 1,
      "global_batch": 2048, "schedule": "interleaved-1f1b"}})");
  document["workload"]["global_batch"] = state.range(0);
  const auto scenario = scenario::read_scenario(json::Node(document, "bench", ""), catalogue);
  for (auto _ : state) benchmark::DoNotOptimize(workload::run(scenario).events);
}
BENCHMARK(largest_step)->Arg(2048)->Arg(8192)->Unit(benchmark::kMillisecond);

}  // namespace
