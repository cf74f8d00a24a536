#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include "sim/scenario/reader.h"
#include "sim/workload/run.h"

namespace {

using namespace tradewind;

/// Vidur's own example (Llama-2-70B on 8 A100, TP2 PP4, chunks of 512 tokens, at most 128
/// sequences, requests of 2048 + 512 at 1 request/s), with a varying number of requests.
void chunked_pipeline(benchmark::State& state) {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  nlohmann::json document = nlohmann::json::parse(R"({"model": "llama-2-70b", "cluster": "a100-8",
    "precision": "fp16", "runtime": "vllm", "plan": {"tp": 2, "pp": 4},
    "workload": {"kind": "serving",
      "requests": {"count": 1000, "input_tokens": 2048, "output_tokens": 512},
      "arrival": {"kind": "poisson", "requests_per_s": 1},
      "scheduler": {"max_num_seqs": 128, "max_num_batched_tokens": 512}}})");
  document["workload"]["requests"]["count"] = state.range(0);
  const auto scenario = scenario::read_scenario(json::Node(document, "bench", ""), catalogue);
  std::uint64_t steps = 0;
  for (auto _ : state) steps += workload::run(scenario).events;
  state.counters["iterations_per_s"] =
      benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
}
BENCHMARK(chunked_pipeline)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace
