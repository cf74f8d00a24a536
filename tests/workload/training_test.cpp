#include "sim/workload/training.h"

#include <nlohmann/json.hpp>

#include "sim/scenario/activation_bytes.h"
#include "sim/scenario/memory.h"
#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

namespace tradewind::workload {
namespace {

/// A GPT of arXiv 2205.05198, table 3: h 6144, 64 heads, 48 layers, s 2048, b 4.
nlohmann::json gpt(int tp, bool sequence_parallel, const char* recompute) {
  return {
      {"model",
       {{"model_type", "gpt2"},
        {"n_embd", 6144},
        {"n_layer", 48},
        {"n_head", 64},
        {"n_positions", 2048},
        {"vocab_size", 51200}}},
      {"cluster", {{"node", "a100-8"}, {"nodes", 16}, {"network", "ib-hdr"}}},
      {"runtime", "megatron"},
      {"plan", {{"tp", tp}, {"sequence_parallel", sequence_parallel}, {"memory_check", "report"}}},
      {"workload",
       {{"kind", "training"},
        {"sequence_length", 2048},
        {"micro_batch", 4},
        {"global_batch", 4},
        {"recompute", recompute}}}};
}

scenario::Scenario build_scenario(const nlohmann::json& document) {
  return scenario::read_scenario(json::Node(document, "test", ""), testing::catalogue());
}

constexpr double kTokens = 4.0 * 2048, kHidden = 6144, kHeads = 64, kLength = 2048;

Result run(const nlohmann::json& json, bool full = false) {
  const scenario::Scenario scenario = build_scenario(json);
  Result result;
  result.reason = scenario::structural_reason(scenario);
  if (result.reason.empty()) run_training(scenario, {.full = full}, result);
  return result;
}

nlohmann::json pipelined(const char* schedule, int pp, int virtual_stages, int batch) {
  nlohmann::json json = gpt(8, true, "none");
  json["plan"]["pp"] = pp;
  json["plan"]["virtual_stages"] = virtual_stages;
  json["workload"]["schedule"] = schedule;
  json["workload"]["global_batch"] = batch;
  json["workload"]["micro_batch"] = 1;
  return json;
}

}  // namespace

TEST_CASE("a layer keeps what Korthikanti et al. count (arXiv 2205.05198, table 2)") {
  const auto kept = [](int tp, bool sequence_parallel, const char* recompute) {
    return scenario::kept_layer_bytes(build_scenario(gpt(tp, sequence_parallel, recompute)));
  };
  const double sbh = kTokens * kHidden, scores = 5 * kHeads * kLength / kHidden;
  CHECK(kept(1, false, "none") == Approx(sbh * (34 + scores)));
  CHECK(kept(8, false, "none") == Approx(sbh * (10 + 24.0 / 8 + scores / 8)));
  CHECK(kept(8, true, "none") == Approx(sbh / 8 * (34 + scores)));
  CHECK(kept(8, false, "selective") == Approx(sbh * (10 + 24.0 / 8)));
  CHECK(kept(8, true, "selective") == Approx(34 * sbh / 8));
  CHECK(kept(8, false, "full") == Approx(2 * sbh));
  CHECK(kept(8, true, "full") == Approx(2 * sbh / 8));
}

TEST_CASE("a step's metrics belong together") {
  const Result result = run(gpt(8, true, "selective"));
  REQUIRE(result.metrics.makespan_ms);
  const Metrics& m = result.metrics;
  CHECK(*m.total_tokens_per_s == Approx(kTokens / (*m.makespan_ms * 1e-3)));
  CHECK(*m.total_tokens_per_s_per_device == Approx(*m.total_tokens_per_s / 8));
  CHECK(*m.compute_ms + *m.exposed_communication_ms == Approx(*m.makespan_ms));
  CHECK(*m.mfu < *m.hfu);
  CHECK(*m.mfu < *m.mfu_full_attention);
  double rows = 0;
  for (const BreakdownRow& row : result.breakdown) rows += row.time_ms;
  CHECK(rows == Approx(*m.makespan_ms));
}

TEST_CASE("recomputation costs time and saves memory") {
  const Result none = run(gpt(8, true, "none")), full = run(gpt(8, true, "full"));
  CHECK(*full.metrics.makespan_ms > *none.metrics.makespan_ms);
  CHECK(full.memory->fullest_stage().activations_bytes <
        none.memory->fullest_stage().activations_bytes);
  CHECK(*full.metrics.hfu / *full.metrics.mfu > *none.metrics.hfu / *none.metrics.mfu);
}

TEST_CASE("more micro-batches leave less bubble, interleaving less still") {
  const double few = *run(pipelined("1f1b", 4, 1, 8)).metrics.bubble_fraction;
  const double many = *run(pipelined("1f1b", 4, 1, 32)).metrics.bubble_fraction;
  const double interleaved = *run(pipelined("interleaved_1f1b", 4, 4, 8)).metrics.bubble_fraction;
  CHECK(many < few);
  CHECK(interleaved < few);
}

TEST_CASE(
    "one replica stands for all, one task for the layers between messages: equal to the full "
    "graph") {
  for (const char* schedule : {"gpipe", "1f1b", "interleaved_1f1b", "zb_h1", "zb_2p"}) {
    for (const char* runtime : {"megatron", "torchtitan", "megatron-deepspeed"}) {
      for (const int zero : {0, 1, 2}) {
        nlohmann::json json = pipelined(schedule, 4, 1, 24);
        if (std::string(schedule) == "interleaved_1f1b") json["plan"]["virtual_stages"] = 3;
        // DeepSpeed has no ZeRO-2 in a pipeline; MaxText reduces each micro-batch as it would.
        const bool refused = zero == 2 && std::string(runtime) == "megatron-deepspeed";
        json["runtime"] = refused ? "maxtext" : runtime;
        json["plan"]["dp"] = 3;
        json["plan"]["zero_stage"] = zero;
        const Result folded = run(json), full = run(json, true);
        INFO(schedule << " " << runtime << " ZeRO-" << zero);
        REQUIRE(folded.reason.find("out of memory") != 0);
        // Beside collectives the end of every task is rounded to the picosecond: more tasks, more
        // roundings.
        CHECK(*folded.metrics.makespan_ms == Approx(*full.metrics.makespan_ms).epsilon(1e-9));
        CHECK(*folded.metrics.bubble_fraction == Approx(*full.metrics.bubble_fraction));
        CHECK(full.events > 3 * folded.events);
      }
    }
  }
  nlohmann::json sharded = gpt(1, false, "full");
  sharded["runtime"] = "torchtitan";
  sharded["plan"]["dp"] = 4;
  sharded["plan"]["zero_stage"] = 3;
  sharded["workload"]["global_batch"] = 32;
  CHECK(*run(sharded).metrics.makespan_ms == *run(sharded, true).metrics.makespan_ms);
}

TEST_CASE("ZeRO shares out optimizer, gradients and weights stage by stage") {
  const auto memory = [](int zero) {
    nlohmann::json json = gpt(1, false, "full");
    json["runtime"] = "torchtitan";
    json["plan"]["dp"] = 64;
    json["plan"]["zero_stage"] = zero;
    json["workload"]["micro_batch"] = 1;
    json["workload"]["global_batch"] = 64;
    return run(json).memory->fullest_stage();
  };
  const auto none = memory(0), one = memory(1), two = memory(2), three = memory(3);
  // arXiv 1910.02054, section 5: 12 bytes of states a parameter over the replicas.
  CHECK(one.optimizer_bytes == Approx(none.optimizer_bytes / 64));
  CHECK(one.gradients_bytes == none.gradients_bytes);
  CHECK(two.gradients_bytes < one.gradients_bytes / 10);
  CHECK(three.weights_bytes < two.weights_bytes / 10);
}

TEST_CASE("a plan that the batch or the schedule can't fill says why") {
  nlohmann::json odd = pipelined("1f1b", 2, 1, 8);
  odd["plan"]["dp"] = 3;
  CHECK(run(odd).reason == "global_batch 8 is no multiple of dp 3 x micro_batch 1");
  CHECK(run(pipelined("1f1b", 4, 2, 8)).reason ==
        "1f1b has 1 of the model's chunks on a stage: virtual_stages can't be 2");
  nlohmann::json zero = pipelined("1f1b", 2, 1, 8);
  zero["plan"]["zero_stage"] = 3;
  CHECK(run(zero).reason == "megatron does not combine zero_stage 3 with pp 2");
  zero["plan"]["zero_stage"] = 2;
  CHECK(run(zero).reason.empty());  // its gradients are whole until the step's end
  zero["runtime"] = "megatron-deepspeed";
  CHECK(run(zero).reason == "megatron-deepspeed does not combine zero_stage 2 with pp 2");
  nlohmann::json copies = pipelined("1f1b", 2, 1, 8);
  copies["plan"]["dp"] = 4;
  copies["plan"]["dp_replicate"] = 2;
  CHECK(run(copies).reason ==
        "dp_replicate 2 copies what zero_stage 1 to 3 shares out: zero_stage is 0");
  copies["plan"]["zero_stage"] = 1;
  copies["plan"]["dp_replicate"] = 3;
  CHECK(run(copies).reason == "dp_replicate 3 does not divide dp 4");
  CHECK(run(pipelined("1f1b", 2, 1, 2'000'000)).reason ==
        "2000000 micro-batches a step are more than the 1000000 that are simulated");
  nlohmann::json coarse = pipelined("1f1b", 2, 1, 8);
  coarse["precision"] = "w4a16";
  CHECK(run(coarse).reason == "training multiplies in fp32, bf16, fp16 or fp8, not int4");
  nlohmann::json full = gpt(1, false, "none");
  full["plan"]["memory_check"] = "enforce";
  CHECK(run(full).reason.find("the largest part are its activations") != std::string::npos);
}

TEST_CASE("a resolved training scenario is one again") {
  const auto resolved = scenario::to_json(build_scenario(pipelined("1f1b", 2, 1, 8)));
  CHECK(run(resolved).reason.empty());
  CHECK(scenario::to_json(build_scenario(resolved)) == resolved);
}

TEST_CASE("a step longer than simulated time has room for is an answer with a reason") {
  nlohmann::json absurd = gpt(1, false, "none");
  absurd["model"]["n_positions"] = 100'000'000;
  absurd["workload"]["sequence_length"] = 100'000'000;
  const Result result = workload::run(build_scenario(absurd));
  CHECK_FALSE(result.feasible);
  CHECK(result.reason == "the simulated time passes 53 days");
}

TEST_CASE("gathered weights that are quantised stay for the backward pass, which gathers no more") {
  const auto step = [](const char* recompute) {
    nlohmann::json json = gpt(1, false, recompute);
    json["cluster"] = {{"node", "h100-8"}, {"nodes", 2}, {"network", "ib-ndr"}};
    json["precision"] = "fp8";
    json["runtime"] = "maxtext";
    json["plan"]["dp"] = 16;
    json["plan"]["zero_stage"] = 3;
    json["workload"]["global_batch"] = 64;
    return run(json);
  };
  const Result none = step("none"), full = step("full");
  // One byte of every weight of the layers; 12 h^2 + 13 h of a GPT's.
  const double layers = 48 * (12 * kHidden * kHidden + 13 * kHidden);
  CHECK(none.memory->fullest_stage().weights_bytes - full.memory->fullest_stage().weights_bytes ==
        Approx(layers));
  // Of three gathers and reductions of a layer one gather is left out, and its quantisation.
  CHECK(*none.metrics.communication_ms < 0.75 * *full.metrics.communication_ms);
}

}  // namespace tradewind::workload
