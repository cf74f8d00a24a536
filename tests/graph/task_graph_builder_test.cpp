#include "sim/graph/task_graph_builder.h"

#include <limits>
#include <vector>

#include "tests/catch.h"

using tradewind::Time;
using namespace tradewind::graph;

namespace {

std::vector<TaskId> to_vector(std::span<const TaskId> tasks) {
  return {tasks.begin(), tasks.end()};
}

}  // namespace

TEST_CASE("a graph without anything in it can be built") {
  const TaskGraph graph = TaskGraphBuilder().build();
  CHECK(graph.task_count() == 0);
  CHECK(graph.stream_count() == 0);
  CHECK(graph.resource_count() == 0);
}

TEST_CASE("a task keeps its stream, latency, weight and label") {
  TaskGraphBuilder builder;
  builder.add_stream();
  const StreamId stream = builder.add_stream();
  const TaskId task =
      builder.add_task({.stream = stream, .latency = Time{7}, .weight = 2.5, .label = 42});
  const TaskGraph graph = builder.build();
  CHECK(graph.stream(task) == stream);
  CHECK(graph.latency(task) == Time{7});
  CHECK(graph.weight(task) == 2.5);
  CHECK(graph.label(task) == 42);
  CHECK(graph.work(task) == Time{0});
  CHECK(graph.demands(task).empty());
}

TEST_CASE("work is the slowest demand alone, and shares are relative to it") {
  TaskGraphBuilder builder;
  const StreamId stream = builder.add_stream();
  const ResourceId memory = builder.add_resource(100);
  const ResourceId link = builder.add_resource(10);
  const Demand demands[] = {{memory, 100}, {link, 40}};  // 1 s and 4 s
  const TaskId task = builder.add_task({.stream = stream, .demands = demands});
  const TaskGraph graph = builder.build();
  CHECK(graph.work(task) == Time::from_seconds(4));
  REQUIRE(graph.demands(task).size() == 2);
  CHECK(graph.demands(task)[0].resource == memory);
  CHECK(graph.demands(task)[0].share == 0.25);
  CHECK(graph.demands(task)[1].share == 1);
}

TEST_CASE("amounts on one resource add up, and zero amounts do not count") {
  TaskGraphBuilder builder;
  const StreamId stream = builder.add_stream();
  const ResourceId memory = builder.add_resource(100);
  const ResourceId link = builder.add_resource(10);
  const Demand demands[] = {{memory, 50}, {link, 0}, {memory, 150}};
  const TaskId task = builder.add_task({.stream = stream, .demands = demands});
  const TaskGraph graph = builder.build();
  CHECK(graph.work(task) == Time::from_seconds(2));
  REQUIRE(graph.demands(task).size() == 1);
  CHECK(graph.demands(task)[0].share == 1);
}

TEST_CASE("work below half a picosecond is none, and demands nothing") {
  TaskGraphBuilder builder;
  const StreamId stream = builder.add_stream();
  const Demand demands[] = {{builder.add_resource(1e15), 1}};  // 1e-3 ps
  const TaskId task = builder.add_task({.stream = stream, .demands = demands});
  const TaskGraph graph = builder.build();
  CHECK(graph.work(task) == Time{0});
  CHECK(graph.demands(task).empty());
}

TEST_CASE("successors keep the order of addition, and streams their chain") {
  TaskGraphBuilder builder;
  const StreamId first = builder.add_stream();
  const StreamId second = builder.add_stream();
  const TaskId a = builder.add_task({.stream = first});
  const TaskId b = builder.add_task({.stream = second});
  const TaskId c = builder.add_task({.stream = first});
  const TaskId d = builder.add_task({.stream = second});
  builder.add_dependency(b, c);
  builder.add_dependency(a, d);
  builder.add_dependency(a, b);
  const TaskGraph graph = builder.build();
  CHECK(to_vector(graph.successors(a)) == std::vector<TaskId>{d, b});
  CHECK(to_vector(graph.successors(b)) == std::vector<TaskId>{c});
  CHECK(graph.successors(c).empty());
  CHECK(graph.successors(d).empty());
  CHECK(graph.next_in_stream(a) == c);
  CHECK(graph.next_in_stream(b) == d);
  CHECK(graph.next_in_stream(c) == kNoTask);
  CHECK(to_vector(graph.predecessor_counts()) == std::vector<TaskId>{0, 1, 2, 2});
}

TEST_CASE("a resource has room for as many users as streams that use it") {
  TaskGraphBuilder builder;
  const StreamId streams[] = {builder.add_stream(), builder.add_stream(), builder.add_stream()};
  const ResourceId shared = builder.add_resource(1);
  const ResourceId idle = builder.add_resource(1);
  const ResourceId own = builder.add_resource(1);
  const Demand both[] = {{shared, 1}, {own, 1}};
  const Demand one[] = {{shared, 1}};
  builder.add_task({.stream = streams[0], .demands = both});
  builder.add_task({.stream = streams[2], .demands = one});
  builder.add_task({.stream = streams[0], .demands = one});
  const TaskGraph graph = builder.build();
  const auto offsets = graph.user_offsets();
  REQUIRE(offsets.size() == 4);
  CHECK(offsets[shared + 1] - offsets[shared] == 2);
  CHECK(offsets[idle + 1] - offsets[idle] == 0);
  CHECK(offsets[own + 1] - offsets[own] == 1);
}

TEST_CASE("a builder can go on after a build") {
  TaskGraphBuilder builder;
  const StreamId stream = builder.add_stream();
  const TaskId a = builder.add_task({.stream = stream});
  const TaskGraph before = builder.build();
  const TaskId b = builder.add_task({.stream = builder.add_stream()});
  builder.add_dependency(a, b);
  const TaskGraph after = builder.build();
  CHECK(before.task_count() == 1);
  CHECK(before.successors(a).empty());
  CHECK(after.task_count() == 2);
  CHECK(to_vector(after.successors(a)) == std::vector<TaskId>{b});
  CHECK(to_vector(after.predecessor_counts()) == std::vector<TaskId>{0, 1});
}

TEST_CASE("unknown ids are refused by kind and number") {
  TaskGraphBuilder builder;
  const StreamId stream = builder.add_stream();
  CHECK_THROWS_WITH(builder.add_task({.stream = 3}), "unknown stream 3 (1 exist)");
  const Demand demands[] = {{5, 1}};
  CHECK_THROWS_WITH(builder.add_task({.stream = stream, .demands = demands}),
                    "unknown resource 5 (0 exist)");
  const TaskId task = builder.add_task({.stream = stream});
  CHECK_THROWS_WITH(builder.add_dependency(task, 9), "unknown task 9 (1 exist)");
  CHECK_THROWS_WITH(builder.add_dependency(8, task), "unknown task 8 (1 exist)");
}

TEST_CASE("a task that was refused leaves nothing behind") {
  TaskGraphBuilder builder;
  const StreamId stream = builder.add_stream();
  const ResourceId link = builder.add_resource(1);
  const Demand broken[] = {{link, 1}, {7, 1}};
  CHECK_THROWS(builder.add_task({.stream = stream, .demands = broken}));
  const TaskId task = builder.add_task({.stream = stream});
  const TaskGraph graph = builder.build();
  CHECK(graph.task_count() == 1);
  CHECK(graph.demands(task).empty());
}

TEST_CASE("values out of range are refused") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  TaskGraphBuilder builder;
  const StreamId stream = builder.add_stream();
  const ResourceId link = builder.add_resource(1);
  for (const double capacity : {0.0, -1.0, kInfinity, nan}) {
    CHECK_THROWS_AS(builder.add_resource(capacity), std::invalid_argument);
  }
  for (const double amount : {-1.0, kInfinity, nan}) {
    const Demand demands[] = {{link, amount}};
    CHECK_THROWS_AS(builder.add_task({.stream = stream, .demands = demands}),
                    std::invalid_argument);
  }
  for (const double weight : {0.0, -1.0, 1e-7, 1e7, kInfinity, nan}) {
    CHECK_THROWS_AS(builder.add_task({.stream = stream, .weight = weight}), std::invalid_argument);
  }
  CHECK_THROWS_AS(builder.add_task({.stream = stream, .latency = Time{-1}}), std::invalid_argument);
}

TEST_CASE("a cycle through dependencies names its tasks") {
  TaskGraphBuilder builder;
  std::vector<TaskId> tasks;
  for (std::uint32_t label = 0; label < 4; ++label) {
    tasks.push_back(builder.add_task({.stream = builder.add_stream(), .label = 10 + label}));
  }
  builder.add_dependency(tasks[0], tasks[1]);
  builder.add_dependency(tasks[1], tasks[2]);
  builder.add_dependency(tasks[2], tasks[1]);
  builder.add_dependency(tasks[2], tasks[3]);
  CHECK_THROWS_WITH(builder.build(), Catch::Contains("task 1 (stream 1, label 11)") &&
                                         Catch::Contains("task 2 (stream 2, label 12)") &&
                                         !Catch::Contains("task 0") && !Catch::Contains("task 3"));
}

TEST_CASE("a cycle through the order of a stream is found") {
  TaskGraphBuilder builder;
  const StreamId stream = builder.add_stream();
  const TaskId first = builder.add_task({.stream = stream});
  const TaskId second = builder.add_task({.stream = stream});
  builder.add_dependency(second, first);
  CHECK_THROWS_WITH(builder.build(), Catch::Contains("task 0") && Catch::Contains("task 1"));
}

TEST_CASE("a task that waits for itself is a cycle") {
  TaskGraphBuilder builder;
  const TaskId task = builder.add_task({.stream = builder.add_stream()});
  builder.add_dependency(task, task);
  CHECK_THROWS_AS(builder.build(), std::invalid_argument);
}

TEST_CASE("a dependency on a task added later is no cycle by itself") {
  TaskGraphBuilder builder;
  const TaskId early = builder.add_task({.stream = builder.add_stream()});
  const TaskId late = builder.add_task({.stream = builder.add_stream()});
  builder.add_dependency(late, early);
  CHECK(to_vector(builder.build().successors(late)) == std::vector<TaskId>{early});
}
