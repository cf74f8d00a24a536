#include "sim/report/training_page.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/report/memory_picture.h"
#include "sim/report/result_json.h"
#include "sim/report/schedule_picture.h"
#include "sim/report/table.h"
#include "sim/report/training_timeline.h"
#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using workload::ScheduledTask;
using workload::StepPart;
using workload::TrainingSchedule;

namespace {

Time ms(double milliseconds) {
  return Time::from_seconds(1e-3 * milliseconds);
}

/// Two stages and two micro-batches; stage 0 has two layers, the second right after the first.
TrainingSchedule hand_made() {
  TrainingSchedule schedule{2, 2, ms(13), {}};
  schedule.tasks = {{StepPart::forward, true, 0, 0, 0, 0, ms(0), ms(1)},
                    {StepPart::forward, true, 0, 0, 0, 0, ms(1), ms(2)},
                    {StepPart::send_activations, true, 0, 0, 0, 1, ms(2), ms(2.5)},
                    {StepPart::forward, true, 1, 0, 0, 0, ms(2), ms(4)},
                    {StepPart::forward, true, 0, 1, 1, 4, ms(2.5), ms(4.5)},
                    {StepPart::backward, true, 0, 1, 1, 4, ms(4.5), ms(8)},
                    {StepPart::backward, true, 0, 0, 0, 0, ms(8), ms(11)},
                    {StepPart::reduce, true, 0, 0, 0, 3, ms(11), ms(12)},
                    {StepPart::optimizer, false, 0, 0, 0, 0, ms(12), ms(13)}};
  return schedule;
}

scenario::Scenario training_scenario() {
  return testing::scenario_with({{"model", "llama-3.1-8b"},
                                 {"cluster", "h100-8"},
                                 {"precision", "bf16"},
                                 {"runtime", "megatron"},
                                 {"plan",
                                  {{"tp", 2},
                                   {"pp", 2},
                                   {"dp", 2},
                                   {"sequence_parallel", true},
                                   {"zero_stage", 1},
                                   {"virtual_stages", 2}}},
                                 {"workload",
                                  {{"kind", "training"},
                                   {"sequence_length", 4096},
                                   {"micro_batch", 1},
                                   {"global_batch", 8},
                                   {"schedule", "interleaved-1f1b"},
                                   {"recompute", "selective"}}}});
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t times = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++times;
  }
  return times;
}

}  // namespace

TEST_CASE("a kept schedule has every pass once, and streams that do one thing at a time") {
  const workload::Result result = workload::run(training_scenario(), {.keep_schedule = true});
  REQUIRE(result.feasible);
  REQUIRE(result.schedule);
  const TrainingSchedule& schedule = *result.schedule;
  CHECK((schedule.stages == 2 && schedule.chunks == 4));
  CHECK(schedule.step.milliseconds() == Approx(*result.metrics.makespan_ms));
  std::map<int, Time> end_of_stream;
  std::map<StepPart, std::set<std::pair<int, int>>> passes;
  Time busy;
  for (const ScheduledTask& task : schedule.tasks) {
    CHECK(task.start >= end_of_stream[task.stream]);
    end_of_stream[task.stream] = task.finish;
    if (task.has_micro_batch) passes[task.part].emplace(task.micro_batch, task.chunk);
    const bool computes = task.part == StepPart::forward || task.part == StepPart::backward ||
                          task.part == StepPart::optimizer;
    if (computes) busy += task.finish - task.start;
    CHECK(task.finish <= schedule.step);
  }
  // 8 sequences over dp 2: four micro-batches through each of four chunks.
  CHECK(passes[StepPart::forward].size() == 16);
  CHECK(passes[StepPart::backward].size() == 16);
  // The definition of bubble_fraction (interface.md).
  CHECK(1 - busy.seconds() / (2 * schedule.step.seconds()) ==
        Approx(*result.metrics.bubble_fraction));
  CHECK_FALSE(workload::run(training_scenario()).schedule);
}

TEST_CASE("a training timeline has a process a stage and each task in the lane of its stream") {
  const nlohmann::json trace = nlohmann::json::parse(report::training_timeline(hand_made()));
  std::map<std::string, int> slices;
  std::set<std::string> names;
  std::set<int> processes;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    const nlohmann::json named = event.value("args", nlohmann::json::object());
    if (event["ph"] == "M" && named.contains("name"))
      names.insert(named["name"].get<std::string>());
    if (event["ph"] != "X") continue;
    ++slices[event["cat"].get<std::string>()];
    processes.insert(event["pid"].get<int>());
  }
  CHECK(slices["forward"] == 4);
  CHECK(slices["backward"] == 2);
  CHECK(slices["send activations"] == 1);
  CHECK(slices["reduce gradients"] == 1);
  CHECK(slices["optimizer"] == 1);
  CHECK(processes == std::set<int>{0, 1});
  CHECK(names == std::set<std::string>{"stage 0", "stage 1", "compute", "data parallel",
                                       "activations to the next stage"});
}

TEST_CASE("the picture joins the layers of a pass and leaves out what is beyond its window") {
  const TrainingSchedule schedule = hand_made();
  const std::vector<report::PictureWindow> windows = report::picture_windows(schedule);
  REQUIRE(windows.size() == 1);
  CHECK(windows[0].end == ms(13));
  // Eight bars: the two layers of the first pass are one.
  CHECK(count(report::schedule_picture(schedule, windows[0]), "class=\"slice\"") == 8);
  const std::string begin = report::schedule_picture(schedule, {"begin", Time{}, ms(2.5)});
  CHECK(count(begin, "class=\"slice\"") == 3);
  CHECK_THAT(report::schedule_legend(schedule),
             Contains("reduce gradients") && !Contains("weight gradient"));
}

TEST_CASE("a long step is drawn at its beginning and at its end, the same length of each") {
  TrainingSchedule schedule{1, 1, ms(1000), {}};
  for (int i = 0; i < 1000; ++i) {
    schedule.tasks.push_back({i % 2 == 0 ? StepPart::forward : StepPart::backward, true, i / 2, 0,
                              0, 0, ms(i), ms(i + 1)});
  }
  const std::vector<report::PictureWindow> windows = report::picture_windows(schedule);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].begin == Time{});
  CHECK(windows[1].end == ms(1000));
  CHECK(windows[0].end - windows[0].begin == windows[1].end - windows[1].begin);
  const auto bars = count(report::schedule_picture(schedule, windows[0]), "class=\"slice\"");
  CHECK((bars > 50 && bars < 150));  // as many as a screen shows with their numbers
}

TEST_CASE("memory is drawn stage by stage against the capacity") {
  scenario::MemoryReport memory;
  memory.stages = {{10e9, 0, 20e9, 5e9, 15e9, 3e9, 80e9}, {10e9, 0, 20e9, 5e9, 7e9, 3e9, 80e9}};
  const std::string html = report::memory_picture(memory);
  CHECK(count(html, "class=\"slice\"") == 10);
  CHECK(count(html, "class=\"end\"") == 2);
  CHECK_THAT(html, Contains("stage 0, activations: 15.00 GB") && Contains("optimizer"));
}

TEST_CASE("the page of a training step has its schedule, its memory and its scenario") {
  const scenario::Scenario scenario = training_scenario();
  const workload::Result result = workload::run(scenario, {.keep_schedule = true});
  const std::string page = report::training_page(scenario, result, {"0", "tradewind run"});
  CHECK_THAT(page, Contains("<svg") && Contains("Exposed communication") &&
                       Contains("Memory by stage") && Contains("MFU") &&
                       Contains("interleaved-1f1b") && !Contains("{{") && !Contains("<script"));
}

TEST_CASE("a plan that does not fit has its memory and its reason, and no schedule") {
  scenario::Scenario scenario = training_scenario();
  scenario::Plan& plan = scenario.plan;
  plan.tp = plan.pp = plan.virtual_stages = 1;
  plan.zero_stage = 0;  // 8 billion parameters with 12 bytes of optimizer each are 96 GB
  plan.dp = 8;
  plan.sequence_parallel = false;
  const workload::Result result = workload::run(scenario, {.keep_schedule = true});
  REQUIRE_FALSE(result.feasible);
  const std::string page = report::training_page(scenario, result, {"0", "tradewind run"});
  CHECK_THAT(page, Contains("Infeasible: out of memory") && Contains("Memory by stage") &&
                       !Contains("Exposed communication</h2>"));
}

TEST_CASE("training's memory in JSON has gradients and optimizer, and no KV cache") {
  const scenario::Scenario scenario = training_scenario();
  const workload::Result result = workload::run(scenario);
  const nlohmann::ordered_json json = report::result_json(scenario, result, "0");
  const auto& memory = json["memory"];
  CHECK(memory["gradients_bytes"].get<double>() > 0);
  CHECK(memory["optimizer_bytes"].get<double>() > 0);
  CHECK(memory["kv_cache_bytes"].is_null());
  CHECK(memory["kv_cache_capacity_tokens"].is_null());
  CHECK(memory["stages"][1]["gradients_bytes"].get<double>() > 0);
  // Read back as a sweep that goes on reads it.
  const workload::Result again = report::result_from_json(json::Node(json, "test", ""));
  CHECK(report::result_text(scenario, again, "0") == report::result_text(scenario, result, "0"));
}

TEST_CASE("the table of a training step speaks of steps, not of answers") {
  const scenario::Scenario scenario = training_scenario();
  const std::string table = report::result_table(scenario, workload::run(scenario));
  CHECK_THAT(table, Contains("time of a step") && Contains("HFU") && Contains("gradients") &&
                        Contains("in use by stage") && !Contains("KV cache") &&
                        !Contains("input and output"));
}
