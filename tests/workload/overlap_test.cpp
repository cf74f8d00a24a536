#include <random>

#include "sim/workload/run.h"
#include "sim/workload/unfolded.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using testing::scenario_with;

namespace {

using Settings = std::vector<std::pair<std::string, nlohmann::json>>;

void check_folded_is_full(const Settings& settings) {
  const scenario::Scenario scenario = scenario_with(settings);
  const workload::Result folded = workload::run(scenario);
  const workload::Result full = workload::run(scenario, {.full = true});
  REQUIRE(folded.reason.empty());
  CHECK(*folded.metrics.makespan_ms == *full.metrics.makespan_ms);
  CHECK(*folded.metrics.compute_ms == *full.metrics.compute_ms);
  if (full.metrics.ttft_ms) CHECK(*folded.metrics.ttft_ms == *full.metrics.ttft_ms);
}

Settings prefill_of(const std::string& strategy, const std::string& runtime,
                    const std::string& cluster) {
  return {{"runtime", runtime},
          {"cluster", cluster},
          {"plan.tp", 4},
          {"plan.overlap.strategy", strategy},
          {"model.num_hidden_layers", 5},
          {"workload.batch", 3},
          {"workload.input_tokens", 512},
          {"workload.output_tokens", 3}};
}

}  // namespace

TEST_CASE("every strategy is the same folded and full, to the picosecond") {
  const std::string strategy =
      GENERATE(as<std::string>{}, "vanilla", "slicing", "decompose", "flash");
  const std::string runtime = GENERATE(as<std::string>{}, "ideal", "vllm", "vllm-eager");
  const std::string cluster = GENERATE(as<std::string>{}, "mi300x-8", "h100-8");
  const bool sequence_parallel = GENERATE(false, true);
  INFO(strategy << " " << runtime << " " << cluster << " SP " << sequence_parallel);
  Settings settings = prefill_of(strategy, runtime, cluster);
  settings.emplace_back("plan.sequence_parallel", sequence_parallel);
  check_folded_is_full(settings);
}

TEST_CASE("Ulysses is the same folded and full") {
  const std::string strategy =
      GENERATE(as<std::string>{}, "vanilla", "slicing", "decompose", "flash");
  const std::string cluster = GENERATE(as<std::string>{}, "mi300x-8", "h100-8");
  INFO(strategy << " " << cluster);
  Settings settings = prefill_of(strategy, "vllm-eager", cluster);
  settings.emplace_back("plan.tp", 1);
  settings.emplace_back("plan.ulysses", 8);
  check_folded_is_full(settings);
}

TEST_CASE("transports, orders, slices and pipelines are the same folded and full") {
  std::mt19937_64 random(5);
  const auto pick = [&](std::initializer_list<const char*> values) {
    return std::string(*(values.begin() + random() % values.size()));
  };
  for (int round = 0; round < 40; ++round) {
    const std::string strategy = pick({"slicing", "flash"});
    Settings settings =
        prefill_of(strategy, pick({"vllm", "vllm-eager"}), pick({"mi300x-8", "h200-8"}));
    settings.emplace_back("plan.overlap.transport",
                          pick({"kernels", "kernels_without_priority", "copy_engines"}));
    settings.emplace_back("plan.overlap.order", pick({"auto", "ring", "pairwise"}));
    settings.emplace_back("plan.overlap.slices", 4 << random() % 3);
    settings.emplace_back("plan.pp", 1 + random() % 2);
    settings.emplace_back("plan.sequence_parallel", random() % 2 == 0);
    settings.emplace_back("workload.input_tokens", 64 << random() % 6);
    INFO(nlohmann::json(settings).dump());
    check_folded_is_full(settings);
  }
}

TEST_CASE("a group over two nodes is the same folded and full") {
  Settings settings = prefill_of("flash", "vllm", "h100-8");
  settings.emplace_back(
      "cluster", nlohmann::json::parse(R"({"node": "h100-8", "nodes": 2, "network": "ib-ndr"})"));
  settings.emplace_back("plan.tp", 16);
  settings.emplace_back("model.num_attention_heads", 64);
  settings.emplace_back("model.num_key_value_heads", 8);
  check_folded_is_full(settings);
}

TEST_CASE("a straggler switches folding off and slows every rank") {
  Settings settings = prefill_of("flash", "vllm", "h100-8");
  const workload::Result even = workload::run(scenario_with(settings));
  settings.emplace_back(
      "cluster", nlohmann::json::parse(R"({"node": "h100-8", "device_speeds": {"2": 0.5}})"));
  const scenario::Scenario scenario = scenario_with(settings);
  const workload::Result slow = workload::run(scenario);
  // Half the speed on one rank: every pair waits for it, yet latencies and the other ranks' share
  // of the transfers do not double.
  CHECK(*slow.metrics.makespan_ms > 1.2 * *even.metrics.makespan_ms);
  CHECK(*slow.metrics.makespan_ms < 2 * *even.metrics.makespan_ms);
  CHECK(slow.events > even.events);

  const workload::RunContext context(scenario);
  const workload::UnfoldedRun run =
      workload::run_unfolded(context, std::get<scenario::StaticBatch>(scenario.workload), 0);
  Time busy[4];
  for (graph::TaskId task = 0; task < run.unfolded.graph.task_count(); ++task) {
    const auto& stream = run.unfolded.streams[run.unfolded.graph.stream(task)];
    if (stream.kind != lowering::UnfoldedGraph::StreamKind::compute) continue;
    busy[stream.device] += run.timeline.finish[task] - run.timeline.start[task];
  }
  CHECK(busy[2] > busy[0]);
  CHECK(busy[1] == busy[0]);
}

namespace {

workload::Metrics block_metrics(const Settings& changes, int tokens) {
  Settings settings = {
      {"runtime", "vllm"},
      {"model", "llama-3.1-70b"},
      {"plan.tp", 8},
      {"plan.sequence_parallel", true},
      {"plan.memory_check", "report"},
      {"workload",
       {{"kind", "block"}, {"block", "mlp"}, {"batch", 1}, {"sequence_length", tokens}}}};
  settings.insert(settings.end(), changes.begin(), changes.end());
  return workload::run(scenario_with(settings)).metrics;
}

}  // namespace

TEST_CASE("slicing a few tokens loses: more launches and latencies than it hides") {
  const std::string strategy = GENERATE(as<std::string>{}, "slicing", "decompose", "flash");
  const std::string cluster = GENERATE(as<std::string>{}, "mi300x-8", "h100-8");
  const workload::Metrics vanilla = block_metrics({{"cluster", cluster}}, 64);
  const workload::Metrics sliced =
      block_metrics({{"cluster", cluster}, {"plan.overlap.strategy", strategy}}, 64);
  INFO(cluster << " " << strategy);
  CHECK(*sliced.makespan_ms > *vanilla.makespan_ms);
  CHECK(*sliced.compute_ms > *vanilla.compute_ms);  // weights read again, a launch a slice
}

TEST_CASE("slicing many tokens wins on a switch") {
  const std::string strategy = GENERATE(as<std::string>{}, "slicing", "decompose", "flash");
  const workload::Metrics vanilla = block_metrics({{"cluster", "h100-8"}}, 32768);
  const workload::Metrics sliced =
      block_metrics({{"cluster", "h100-8"}, {"plan.overlap.strategy", strategy}}, 32768);
  CHECK(*sliced.makespan_ms < *vanilla.makespan_ms);
  CHECK(*sliced.exposed_communication_ms < *vanilla.exposed_communication_ms);
}

TEST_CASE("on a full mesh a ring has one link of seven, pairwise exchange has them all") {
  const Settings flash = {{"cluster", "mi300x-8"}, {"plan.overlap.strategy", "flash"}};
  Settings ring = flash, pairwise = flash;
  ring.emplace_back("plan.overlap.order", "ring");
  pairwise.emplace_back("plan.overlap.order", "pairwise");
  const workload::Metrics one = block_metrics(ring, 16384), all = block_metrics(pairwise, 16384);
  // Seven slices one after the other through one link, against seven links side by side.
  CHECK(*one.communication_ms > 2 * *all.communication_ms);
  CHECK(*one.exposed_communication_ms > 4 * *all.exposed_communication_ms);
}
