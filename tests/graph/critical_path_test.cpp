#include "sim/graph/critical_path.h"

#include <algorithm>
#include <random>
#include <vector>

#include "sim/graph/task_graph_builder.h"
#include "tests/catch.h"

using tradewind::Time;
using namespace tradewind::graph;

namespace {

/// A task that only takes a latency, on a stream of its own unless one is given.
TaskId add(TaskGraphBuilder& builder, std::int64_t ps, StreamId stream) {
  return builder.add_task({.stream = stream, .latency = Time{ps}});
}
TaskId add(TaskGraphBuilder& builder, std::int64_t ps) {
  return add(builder, ps, builder.add_stream());
}

/// The longest chain that starts with `task`, by trying all of them.
std::int64_t longest_from(const TaskGraph& graph, TaskId task, const std::vector<Time>& durations) {
  std::int64_t rest = 0;
  for (const TaskId next : graph.successors(task)) {
    rest = std::max(rest, longest_from(graph, next, durations));
  }
  const TaskId next = graph.next_in_stream(task);
  if (next != kNoTask) rest = std::max(rest, longest_from(graph, next, durations));
  return durations[task].ps + rest;
}

std::int64_t longest(const TaskGraph& graph, const std::vector<Time>& durations) {
  std::int64_t length = 0;
  for (TaskId task = 0; task < graph.task_count(); ++task) {
    length = std::max(length, longest_from(graph, task, durations));
  }
  return length;
}

TaskGraph random_graph(std::mt19937& random) {
  TaskGraphBuilder builder;
  const auto below = [&](std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
  };
  const std::uint32_t streams = 1 + below(4);
  for (std::uint32_t i = 0; i < streams; ++i) builder.add_stream();
  const std::uint32_t tasks = 1 + below(10);
  for (std::uint32_t i = 0; i < tasks; ++i) add(builder, below(20), below(streams));
  for (TaskId after = 1; after < tasks; ++after) {
    if (below(2) == 0) builder.add_dependency(below(after), after);
  }
  return builder.build();
}

}  // namespace

TEST_CASE("the critical path of a diamond goes through its slower side") {
  TaskGraphBuilder builder;
  const TaskId top = add(builder, 1);
  const TaskId fast = add(builder, 10);
  const TaskId slow = add(builder, 30);
  const TaskId bottom = add(builder, 2);
  for (const TaskId side : {fast, slow}) {
    builder.add_dependency(top, side);
    builder.add_dependency(side, bottom);
  }
  const TaskGraph graph = builder.build();
  const std::vector<Time> durations = solo_durations(graph);
  const CriticalPath path = critical_path(graph, durations);
  CHECK(path.length == Time{33});
  CHECK(path.tasks == std::vector<TaskId>{top, slow, bottom});
  CHECK(slack(graph, durations) == std::vector<Time>{Time{0}, Time{20}, Time{0}, Time{0}});
}

TEST_CASE("the order of a stream counts as a dependency") {
  TaskGraphBuilder builder;
  const StreamId stream = builder.add_stream();
  const TaskId first = add(builder, 3, stream);
  const TaskId alone = add(builder, 5);
  const TaskId second = add(builder, 4, stream);
  const TaskGraph graph = builder.build();
  const std::vector<Time> durations = solo_durations(graph);
  const CriticalPath path = critical_path(graph, durations);
  CHECK(path.length == Time{7});
  CHECK(path.tasks == std::vector<TaskId>{first, second});
  CHECK(slack(graph, durations)[alone] == Time{2});
}

TEST_CASE("a task alone lasts its latency and its work") {
  TaskGraphBuilder builder;
  const Demand demands[] = {{builder.add_resource(1e12), 5}};
  builder.add_task({.stream = builder.add_stream(), .latency = Time{2}, .demands = demands});
  CHECK(solo_durations(builder.build()) == std::vector<Time>{Time{7}});
}

TEST_CASE("a graph without tasks has a path of no length") {
  const TaskGraph graph = TaskGraphBuilder().build();
  CHECK(critical_path(graph, {}).tasks.empty());
  CHECK(critical_path(graph, {}).length == Time{0});
  CHECK(slack(graph, {}).empty());
}

TEST_CASE("durations must be as many as tasks") {
  TaskGraphBuilder builder;
  add(builder, 1);
  CHECK_THROWS_AS(critical_path(builder.build(), {}), std::invalid_argument);
}

TEST_CASE("path and slack agree with the enumeration of all chains") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const TaskGraph graph = random_graph(random);
    const std::vector<Time> durations = solo_durations(graph);
    const std::int64_t length = longest(graph, durations);
    const CriticalPath path = critical_path(graph, durations);
    REQUIRE(path.length == Time{length});

    std::int64_t sum = 0;
    for (std::size_t i = 0; i < path.tasks.size(); ++i) {
      sum += durations[path.tasks[i]].ps;
      if (i == 0) continue;
      const TaskId before = path.tasks[i - 1];
      const auto next = graph.successors(before);
      REQUIRE((graph.next_in_stream(before) == path.tasks[i] ||
               std::find(next.begin(), next.end(), path.tasks[i]) != next.end()));
    }
    REQUIRE(sum == length);

    // The slack is the most by which one task may grow while the longest chain does not.
    const std::vector<Time> slacks = slack(graph, durations);
    for (TaskId task = 0; task < graph.task_count(); ++task) {
      std::vector<Time> longer = durations;
      longer[task].ps += slacks[task].ps;
      REQUIRE(longest(graph, longer) == length);
      longer[task].ps += 1;
      REQUIRE(longest(graph, longer) == length + 1);
    }
  }
}

TEST_CASE("a chain of 200,000 tasks does not exhaust the stack") {
  TaskGraphBuilder builder;
  const StreamId stream = builder.add_stream();
  for (int i = 0; i < 200'000; ++i) add(builder, 1, stream);
  const TaskGraph graph = builder.build();
  CHECK(critical_path(graph, solo_durations(graph)).length == Time{200'000});
}
