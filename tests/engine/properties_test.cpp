#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/graph/critical_path.h"
#include "tests/catch.h"
#include "tests/engine/plan.h"
#include "tests/engine/reference_simulator.h"

using tradewind::Time;
using namespace tradewind::engine;
using tradewind::graph::TaskGraph;
using tradewind::graph::TaskId;

namespace {

bool same(const Timeline& a, const Timeline& b) {
  return a.start == b.start && a.finish == b.finish && a.makespan == b.makespan &&
         a.events == b.events;
}

}  // namespace

TEST_CASE("random graphs run as the plain reference says") {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const Plan plan = random_plan(random);
    const Timeline timeline = simulate(compile(plan));
    const ReferenceTimes expected = simulate_reference(plan);
    // The engine rounds each event to the picosecond; a shift of one event moves the later ones
    // by about as much, so that the error grows with the number of events at most.
    const double tolerance_ps = 1 + static_cast<double>(timeline.events);
    for (TaskId task = 0; task < plan.tasks.size(); ++task) {
      INFO("round " << round << ", task " << task);
      REQUIRE(std::abs(static_cast<double>(timeline.start[task].ps) - expected.start[task]) <=
              tolerance_ps);
      REQUIRE(std::abs(static_cast<double>(timeline.finish[task].ps) - expected.finish[task]) <=
              tolerance_ps);
    }
  }
}

TEST_CASE("no run is shorter than the critical path of the tasks alone") {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const TaskGraph graph = compile(random_plan(random));
    const Timeline timeline = simulate(graph);
    const std::vector<Time> alone = tradewind::graph::solo_durations(graph);
    REQUIRE(timeline.makespan >= tradewind::graph::critical_path(graph, alone).length);
    for (TaskId task = 0; task < graph.task_count(); ++task) {
      REQUIRE(timeline.finish[task] - timeline.start[task] >= alone[task]);
    }
  }
}

TEST_CASE("tasks start as soon as they may: the critical path of the durations is the makespan") {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const TaskGraph graph = compile(random_plan(random));
    const Timeline timeline = simulate(graph);
    REQUIRE(tradewind::graph::critical_path(graph, durations(timeline)).length ==
            timeline.makespan);
  }
}

TEST_CASE("without shared resources every task takes exactly its time alone") {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    Plan plan = random_plan(random);
    plan.capacities_per_ps.assign(plan.streams, 3);
    for (PlannedTask& task : plan.tasks) {
      for (auto& demand : task.demands) demand.resource = task.stream;
    }
    const TaskGraph graph = compile(plan);
    REQUIRE(durations(simulate(graph)) == tradewind::graph::solo_durations(graph));
  }
}

TEST_CASE("an engine gives the same bits again, whatever it ran before") {
  std::mt19937 random(5);
  Engine engine;
  for (int round = 0; round < 100; ++round) {
    const TaskGraph graph = compile(random_plan(random));
    const Timeline fresh = simulate(graph);
    REQUIRE(same(fresh, engine.simulate(graph)));
    REQUIRE(same(fresh, engine.simulate(graph)));
  }
}

TEST_CASE("copies of a graph side by side run as the graph alone, bit by bit") {
  std::mt19937 random(6);
  constexpr std::uint32_t kCopies = 3;
  for (int round = 0; round < 100; ++round) {
    const Plan plan = random_plan(random);
    const auto tasks = static_cast<std::uint32_t>(plan.tasks.size());
    const auto resources = static_cast<std::uint32_t>(plan.capacities_per_ps.size());
    Plan copies;
    copies.streams = kCopies * plan.streams;
    for (std::uint32_t copy = 0; copy < kCopies; ++copy) {
      for (const double capacity : plan.capacities_per_ps) {
        copies.capacities_per_ps.push_back(capacity);
      }
      for (PlannedTask task : plan.tasks) {
        task.stream += copy * plan.streams;
        for (auto& demand : task.demands) demand.resource += copy * resources;
        copies.tasks.push_back(task);
      }
      for (const auto& [before, after] : plan.dependencies) {
        copies.dependencies.emplace_back(copy * tasks + before, copy * tasks + after);
      }
    }
    const Timeline one = simulate(compile(plan));
    const Timeline all = simulate(compile(copies));
    REQUIRE(all.makespan == one.makespan);
    for (TaskId task = 0; task < copies.tasks.size(); ++task) {
      REQUIRE(all.start[task] == one.start[task % tasks]);
      REQUIRE(all.finish[task] == one.finish[task % tasks]);
    }
  }
}

TEST_CASE("zeroed tasks run as tasks that were planned without latency and demands") {
  std::mt19937 random(8);
  for (int round = 0; round < 100; ++round) {
    Plan plan = random_plan(random);
    const TaskGraph graph = compile(plan);
    std::vector<std::uint8_t> zeroed;
    for (PlannedTask& task : plan.tasks) {
      zeroed.push_back(static_cast<std::uint8_t>(below(2, random)));
      if (zeroed.back() == 0) continue;
      task.latency_ps = 0;
      task.demands.clear();
    }
    REQUIRE(same(simulate(graph, {.zeroed = zeroed}), simulate(compile(plan))));
  }
}

TEST_CASE("a link that is never idle moves everything in amount over capacity") {
  std::mt19937 random(9);
  for (int round = 0; round < 100; ++round) {
    Plan plan;
    plan.capacities_per_ps = {2};
    plan.streams = 1 + below(12, random);
    double amount = 0;
    for (std::uint32_t i = 0; i < 100; ++i) {
      const double part = 1 + below(100'000, random);
      plan.tasks.push_back(
          {.stream = i % plan.streams, .demands = {{0, part}}, .weight = 1.0 + i % 3});
      amount += part;
    }
    // Half a picosecond is lost or won in rounding at each of the 100 finishes.
    const double error_ps = static_cast<double>(simulate(compile(plan)).makespan.ps) - amount / 2;
    REQUIRE(std::abs(error_ps) <= 50);
  }
}
