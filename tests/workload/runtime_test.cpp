#include "sim/lowering/pass.h"
#include "sim/scenario/runtime_reader.h"
#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using testing::scenario_with;

namespace {

std::vector<std::string> notes_of(const nlohmann::json& runtime) {
  return workload::run(scenario_with({{"runtime", runtime}})).notes;
}

}  // namespace

TEST_CASE("a version without a file of its own runs as its family, and the answer says so") {
  const auto notes = notes_of("vllm@0.1");
  REQUIRE_FALSE(notes.empty());
  CHECK(notes[0] == "runtime vllm@0.1 is not calibrated: constants of vllm");
  CHECK(scenario_with({{"runtime", "vllm@0.1"}}).runtime->name == "vllm@0.1");
}

TEST_CASE("a patch release runs as its minor release") {
  const auto folder = testing::catalogue().root() / "configs" / "runtimes";
  CHECK(scenario::known_version("vllm@0.9.0.1", folder) == "vllm@0.9");
  CHECK(scenario::known_version("vllm@0.9.1", folder) == "vllm@0.9.1");
  CHECK(scenario::known_version("vllm@0.1.2", folder) == "vllm");
  CHECK(scenario::known_version("vlm@0.1.2", folder) == "vlm@0.1.2");
}

TEST_CASE("what a runtime says of an architecture holds there and nowhere else") {
  const nlohmann::json runtime = {{"host", {{"step_us", 100}}},
                                  {"on", {{"hopper", {{"host", {{"step_us", 200}}}}}}}};
  const auto on = [&](const std::string& cluster) {
    return scenario_with({{"runtime", runtime}, {"cluster", cluster}}).runtime;
  };
  CHECK(on("h200-8")->step_host_s == Approx(200e-6));
  CHECK(on("h200-8")->notes.empty());
  CHECK(on("mi325x-8")->step_host_s == Approx(100e-6));
  REQUIRE(on("mi325x-8")->notes.size() == 1);
  CHECK_THAT(on("mi325x-8")->notes[0], Contains("assumed on mi325x"));
}

TEST_CASE("a runtime may call another library on an architecture, and keeps the others") {
  const nlohmann::json runtime = {
      {"libraries", {{"nvidia", {{"gemm", "trtllm"}, {"attention", "vllm"}}}}},
      {"on", {{"ampere", {{"libraries", {{"nvidia", {{"gemm", "vllm"}}}}}}}}}};
  const auto on = [&](const std::string& cluster) {
    return scenario_with({{"runtime", runtime}, {"cluster", cluster}})
        .runtime->libraries_for("nvidia");
  };
  CHECK(on("a100-8").gemm == "vllm");
  CHECK(on("a100-8").attention == "vllm");
  CHECK(on("h200-8").gemm == "trtllm");
}

TEST_CASE("a runtime that has another as base changes it on every architecture") {
  const nlohmann::json base = {
      {"host", {{"step_us", 100}}},
      {"on", {{"cdna3", {{"host", {{"step_us", 200}, {"graph_kernel_gap_us", 1}}}}}}}};
  const auto runtime =
      scenario_with({{"runtime", {{"base", base}, {"host", {{"step_us", 300}}}}}}).runtime;
  CHECK(runtime->step_host_s == Approx(300e-6));
  CHECK(runtime->graph_kernel_gap_s == Approx(1e-6));
}

TEST_CASE("decode attention may share the reads of a key but where a window slides") {
  const auto seconds = [](const std::string& model, const nlohmann::json& attention) {
    const auto scenario = scenario_with(
        {{"model", model},
         {"runtime", {{"base", "tensorrt-llm@1.0"}, {"decode_attention", attention}}}});
    return lowering::book_for(scenario).attention_decode({256, 2048, 32, 8, 128}).duration_s;
  };
  const nlohmann::json shared = nlohmann::json::object();
  const nlohmann::json not_windowed = {{"shares_windowed_kv_heads", false}};
  const nlohmann::json never = {{"shares_kv_heads", false}};
  CHECK(seconds("llama-3.1-8b", not_windowed) == seconds("llama-3.1-8b", shared));
  CHECK(seconds("mistral-7b", not_windowed) == seconds("mistral-7b", never));
  CHECK(seconds("mistral-7b", not_windowed) > 3 * seconds("mistral-7b", shared));
}

TEST_CASE("exact runtimes have nothing to excuse") {
  CHECK(notes_of("ideal").empty());
}

TEST_CASE("mistakes in an architecture or a rate are one clear line") {
  CHECK_THROWS_WITH(scenario_with({{"runtime.on.hoper.host.step_us", 1}}),
                    Contains("did you mean \"hopper\"?"));
  CHECK_THROWS_WITH(scenario_with({{"runtime.on.hopper.libraries", 1}}),
                    Contains("/runtime/on/hopper/libraries"));
  CHECK_THROWS_WITH(scenario_with({{"runtime.kernel_rates.gemm_memory", 2}}),
                    Contains("/runtime/kernel_rates/gemm_memory"));
}

TEST_CASE("where the runtime queues, a batch beyond the cache runs in waves") {
  const auto run = [](int batch, bool queues) {
    return workload::run(
        scenario_with({{"runtime.memory.queues_beyond_kv_cache", queues},
                       {"cluster.override", {{"accelerator.hbm_capacity_bytes", 1.7e10}}},
                       {"workload.batch", batch}}));
  };
  const int largest = static_cast<int>(run(1, true).memory->max_batch);
  REQUIRE(largest > 0);
  CHECK_FALSE(run(2 * largest, false).feasible);
  const workload::Result one = run(largest, true), two = run(2 * largest, true);
  REQUIRE(two.feasible);
  // The second wave starts when the first has ended.
  CHECK(*two.metrics.makespan_ms == Approx(2 * *one.metrics.makespan_ms));
  CHECK(*two.metrics.ttft_ms == Approx(*one.metrics.ttft_ms + *one.metrics.makespan_ms / 2));
  CHECK(*two.metrics.tpot_ms == Approx(*one.metrics.tpot_ms));
  REQUIRE_FALSE(two.notes.empty());
  CHECK_THAT(two.notes[0], Contains("2 waves"));
}
