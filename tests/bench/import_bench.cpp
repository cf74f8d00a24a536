#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <sstream>
#include <string>

#include "validation/import/kineto_events.h"

namespace {

using namespace tradewind;

/// A host operation, its launch, the kernel and the arrow between them: {0} counts them, {1} is
/// their time in microseconds.
constexpr const char* const kEvents = R"json(,
{{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 42, "tid": 42, "ts": {1}, "dur": 14.2,
  "args": {{"External id": {0}, "Input Dims": [[4096, 8192], [8192, 1280]], "Ev Idx": {0}}}}},
{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 42, "tid": 42, "ts": {1},
  "dur": 4.1, "args": {{"External id": {0}, "cbid": 211, "correlation": {0}}}}},
{{"ph": "X", "cat": "kernel", "name": "void cutlass::Kernel2<cutlass_80_tensorop_bf16>(Params)",
  "pid": 0, "tid": 7, "ts": {1}, "dur": 17.3, "args": {{"External id": {0}, "device": 0,
  "context": 1, "stream": 7, "correlation": {0}, "registers per thread": 168,
  "grid": [128, 1, 1], "block": [256, 1, 1], "est. achieved occupancy %": 12}}}},
{{"ph": "s", "id": {0}, "pid": 42, "tid": 42, "ts": {1}, "cat": "ac2g", "name": "ac2g"}})json";

std::string kineto_trace(std::size_t bytes) {
  std::string text = R"({"traceEvents": [{"ph": "M", "name": "process_name", "pid": 0})";
  for (int i = 0; text.size() < bytes; ++i) text += fmt::format(kEvents, i, 21.5 * i);
  return text + "]}";
}

/// Reading 20 MB: a profiler's trace of 200 MB takes ten times as long, in the same memory.
void read_kineto(benchmark::State& state) {
  const std::string text = kineto_trace(20'000'000);
  for (auto _ : state) {
    std::istringstream in(text);
    benchmark::DoNotOptimize(validation::read_kineto_events(in, "trace.json"));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_kineto)->Unit(benchmark::kMillisecond);

}  // namespace
