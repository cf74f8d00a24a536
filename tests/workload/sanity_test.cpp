#include <algorithm>
#include <set>

#include "sim/scenario/memory.h"
#include "sim/workload/run.h"
#include "sim/workload/unfolded.h"
#include "tests/catch.h"
#include "tests/workload/random_scenario.h"

/// What physics and bookkeeping ask of any answer, over random scenarios.
using namespace tradewind;
using namespace tradewind::testing;

namespace {

/// Sums of some tens of exact picoseconds, each rounded once to a double.
constexpr double kRounding = 1e-9;

bool is_kernel(const workload::BreakdownRow& row) {
  static const std::set<std::string> others = {"launch", "host", "pipeline_wait"};
  return !others.contains(row.kernel);
}

void check_breakdown(const workload::Result& result) {
  const double makespan_ms = *result.metrics.makespan_ms;
  double time_ms = 0, kernels_ms = 0, share = 0, provenance_ms = 0;
  for (const workload::BreakdownRow& row : result.breakdown) {
    INFO(row.phase << " " << row.kernel);
    CHECK(row.time_ms >= 0);  // communication may be hidden wholly
    CHECK(row.speed_of_light_ms <= row.time_ms * (1 + kRounding));
    time_ms += row.time_ms;
    share += row.share;
    if (is_kernel(row)) kernels_ms += row.time_ms;
  }
  CHECK(time_ms == Approx(makespan_ms).epsilon(kRounding));
  CHECK(share == Approx(1).epsilon(kRounding));
  for (const double ms : result.provenance_ms) provenance_ms += ms;
  CHECK(provenance_ms == Approx(kernels_ms).epsilon(kRounding));
}

void check_limits(const workload::Metrics& metrics) {
  CHECK(*metrics.speed_of_light_share > 0);
  CHECK(*metrics.speed_of_light_share <= 1);
  CHECK(*metrics.mfu > 0);
  CHECK(*metrics.mfu <= 1);
  CHECK(*metrics.exposed_communication_ms >= 0);
  CHECK(*metrics.communication_ms <= *metrics.makespan_ms * (1 + kRounding));
  if (metrics.bubble_fraction) {
    CHECK(*metrics.bubble_fraction >= 0);
    CHECK(*metrics.bubble_fraction < 1);
  }
}

workload::UnfoldedRun unfolded(const scenario::Scenario& scenario) {
  const workload::RunContext context(scenario);
  if (const auto* batch = std::get_if<scenario::StaticBatch>(&scenario.workload)) {
    return workload::run_unfolded(context, *batch, batch->output_tokens - 1);
  }
  return workload::run_unfolded(context, std::get<scenario::Block>(scenario.workload));
}

/// One stream's time, task by task as they were added.
struct StreamTime {
  Time busy, idle, until;
};

void check_streams(const graph::TaskGraph& graph, const engine::Timeline& timeline) {
  std::vector<StreamTime> streams(graph.stream_count());
  int together = 0, hurried = 0;
  for (graph::TaskId task = 0; task < graph.task_count(); ++task) {
    StreamTime& stream = streams[graph.stream(task)];
    const Time start = timeline.start[task], finish = timeline.finish[task];
    if (start < stream.until) ++together;
    if (finish - start < graph.latency(task) + graph.work(task)) ++hurried;
    stream.idle += start - stream.until;
    stream.busy += finish - start;
    stream.until = finish;
  }
  CHECK(together == 0);
  CHECK(hurried == 0);
  for (StreamTime& stream : streams) {
    REQUIRE(stream.until <= timeline.makespan);
    stream.idle += timeline.makespan - stream.until;
    REQUIRE(stream.busy + stream.idle == timeline.makespan);
  }
}

/// Of the fullest stage, without the runtime's reserve.
double used_bytes(const scenario::Scenario& scenario) {
  double most = 0;
  for (const scenario::MemoryUse& stage : scenario::memory_of(scenario).stages) {
    most = std::max(most, stage.used_bytes() - stage.reserved_bytes);
  }
  return most;
}

}  // namespace

TEST_CASE("any breakdown sums to its makespan, any provenance to the kernels' time") {
  std::mt19937_64 random(1);
  for (int draw = 0; draw < 500; ++draw) {
    const nlohmann::json document = random_scenario(random);
    INFO(document.dump());
    check_breakdown(workload::run(read(document)));
  }
}

TEST_CASE("no scenario beats the speed of light or the matrix peak") {
  std::mt19937_64 random(2);
  for (int draw = 0; draw < 500; ++draw) {
    const nlohmann::json document = random_scenario(random);
    INFO(document.dump());
    check_limits(workload::run(read(document)).metrics);
  }
}

TEST_CASE("in the unfolded graph every stream is busy or idle until the makespan") {
  std::mt19937_64 random(3);
  for (int draw = 0; draw < 100; ++draw) {
    nlohmann::json document = random_scenario(random);
    nlohmann::json& workload = document["workload"];
    if (workload.contains("output_tokens")) {
      workload["output_tokens"] = std::min(3, workload["output_tokens"].get<int>());
    }
    INFO(document.dump());
    const workload::UnfoldedRun run = unfolded(read(document));
    check_streams(run.unfolded.graph, run.timeline);
    CHECK(run.simulated.makespan <= run.timeline.makespan);
    check_breakdown(workload::run(read(document), {.full = true}));
  }
}

TEST_CASE("twice the tensor or pipeline parallelism leaves less on a device") {
  std::mt19937_64 random(4);
  int doubled = 0;
  for (int draw = 0; draw < 500; ++draw) {
    const nlohmann::json document = random_scenario(random);
    for (const std::string degree : {"tp", "pp"}) {
      const int twice = 2 * document["plan"][degree].get<int>();
      const nlohmann::json wider = with(document, "plan." + degree, twice);
      if (!can_be_laid_out(wider)) continue;
      INFO(document.dump() << " with " << degree << " " << twice);
      CHECK(used_bytes(read(wider)) < used_bytes(read(document)));
      ++doubled;
    }
  }
  CHECK(doubled > 300);
}
