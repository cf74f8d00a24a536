#include "sim/engine/engine.h"

#include <array>
#include <vector>

#include "sim/graph/task_graph_builder.h"
#include "tests/catch.h"

using tradewind::Time;
using namespace tradewind::engine;
using namespace tradewind::graph;

namespace {

/// A builder in whole picoseconds: with a capacity of 1 a ps, an amount of n takes n ps alone.
class Draft {
 public:
  StreamId stream() { return builder_.add_stream(); }
  ResourceId resource(double capacity_per_ps = 1) {
    return builder_.add_resource(capacity_per_ps * 1e12);
  }
  TaskId task(StreamId stream, std::int64_t latency_ps, std::vector<Demand> demands = {},
              double weight = 1) {
    return builder_.add_task(
        {.stream = stream, .latency = Time{latency_ps}, .weight = weight, .demands = demands});
  }
  /// On a stream of its own.
  TaskId task(std::int64_t latency_ps, std::vector<Demand> demands = {}, double weight = 1) {
    return task(stream(), latency_ps, std::move(demands), weight);
  }
  void order(TaskId before, TaskId after) { builder_.add_dependency(before, after); }
  TaskGraph graph() const { return builder_.build(); }
  Timeline run() const { return simulate(graph()); }

 private:
  TaskGraphBuilder builder_;
};

}  // namespace

TEST_CASE("an empty graph takes no time") {
  const Timeline timeline = Draft().run();
  CHECK(timeline.makespan == Time{0});
  CHECK(timeline.events == 0);
  CHECK(timeline.start.empty());
}

TEST_CASE("a task alone takes its latency and then the slowest of its demands") {
  Draft draft;
  const ResourceId fast = draft.resource(4);
  const ResourceId slow = draft.resource(1);
  const TaskId task = draft.task(7, {{fast, 100}, {slow, 60}});  // 25 ps and 60 ps
  const Timeline timeline = draft.run();
  CHECK(timeline.start[task] == Time{0});
  CHECK(timeline.finish[task] == Time{67});
  CHECK(timeline.events == 2);
}

TEST_CASE("the time alone is rounded once, to the nearest picosecond") {
  Draft draft;
  const ResourceId link = draft.resource(3);
  const StreamId stream = draft.stream();
  for (int i = 0; i < 3; ++i) draft.task(stream, 0, {{link, 10}});  // 3.33 ps
  const TaskId last = draft.task(stream, 0, {{link, 11}});          // 3.67 ps
  CHECK(draft.run().finish[last] == Time{3 + 3 + 3 + 4});
}

TEST_CASE("two equal flows on one link take twice as long") {
  Draft draft;
  const ResourceId link = draft.resource();
  const TaskId a = draft.task(0, {{link, 1000}});
  const TaskId b = draft.task(0, {{link, 1000}});
  const Timeline timeline = draft.run();
  CHECK(timeline.finish[a] == Time{2000});
  CHECK(timeline.finish[b] == Time{2000});
}

TEST_CASE("n equal flows on one link take n times as long") {
  for (int n : {3, 7, 64}) {
    Draft draft;
    const ResourceId link = draft.resource();
    for (int i = 0; i < n; ++i) draft.task(0, {{link, 1000}});
    const Timeline timeline = draft.run();
    for (const Time finish : timeline.finish) CHECK(finish == Time{1000 * n});
  }
}

TEST_CASE("flows that together do not fill a resource do not slow each other") {
  Draft draft;
  const ResourceId memory = draft.resource();
  std::vector<TaskId> tasks;
  for (int i = 0; i < 4; ++i) {
    // Bounded by 1000 ps on a resource of its own, and a quarter of the memory.
    tasks.push_back(draft.task(0, {{draft.resource(), 1000}, {memory, 250}}));
  }
  const Timeline timeline = draft.run();
  for (const TaskId task : tasks) CHECK(timeline.finish[task] == Time{1000});
}

TEST_CASE("a flow that arrives later shares from then on") {
  // a runs alone for 300, then at half speed; b has 400 to do, so it takes 800, until 1100, when
  // a has 1000 - 300 - 400 = 300 left, alone again: 1400 = all the work, for the link never idles.
  Draft draft;
  const ResourceId link = draft.resource();
  const TaskId a = draft.task(0, {{link, 1000}});
  const TaskId b = draft.task(300, {{link, 400}});
  const Timeline timeline = draft.run();
  CHECK(timeline.start[b] == Time{0});
  CHECK(timeline.finish[b] == Time{1100});
  CHECK(timeline.finish[a] == Time{1400});
}

TEST_CASE("three staggered flows follow the piecewise algebra") {
  // Speeds on [0,100): 1. [100,200): 1/2 each: a has 600 - 100 - 50 = 450, b 300 - 50 = 250 left.
  // From 200 at 1/3: c (100) ends at 500; a has 350, b 150 left. At 1/2: b ends at 800, a has 200
  // left and ends at 1000.
  Draft draft;
  const ResourceId link = draft.resource();
  const TaskId a = draft.task(0, {{link, 600}});
  const TaskId b = draft.task(100, {{link, 300}});
  const TaskId c = draft.task(200, {{link, 100}});
  const Timeline timeline = draft.run();
  CHECK(timeline.finish[c] == Time{500});
  CHECK(timeline.finish[b] == Time{800});
  CHECK(timeline.finish[a] == Time{1000});
}

TEST_CASE("three flows on two links get the max-min shares") {
  // The long flow crosses both links, of capacity 1 and 3. Alone all three run at a relative
  // speed of 1: the long one takes 1 of link A and a third of link B. Link A fills at speed 1/2:
  // the long flow and its neighbour keep 1/2; the flow on B rises to 1 - 1/6 = 5/6.
  Draft draft;
  const ResourceId a = draft.resource(1);
  const ResourceId b = draft.resource(3);
  const TaskId crossing = draft.task(0, {{a, 600}, {b, 600}});
  const TaskId on_a = draft.task(0, {{a, 600}});
  const TaskId on_b = draft.task(0, {{b, 1500}});  // 500 ps alone
  const Timeline timeline = draft.run();
  CHECK(timeline.finish[on_b] == Time{600});
  CHECK(timeline.finish[on_a] == Time{1200});
  CHECK(timeline.finish[crossing] == Time{1200});
}

TEST_CASE("weights share in proportion") {
  // Speeds 3/4 and 1/4: the heavy one ends at 400; the light one has 300 - 100 left and runs on
  // alone until 600.
  Draft draft;
  const ResourceId link = draft.resource();
  const TaskId heavy = draft.task(0, {{link, 300}}, 3);
  const TaskId light = draft.task(0, {{link, 300}}, 1);
  const Timeline timeline = draft.run();
  CHECK(timeline.finish[heavy] == Time{400});
  CHECK(timeline.finish[light] == Time{600});
}

TEST_CASE("a weight cannot lift a task above its speed alone") {
  // Alone the first takes half of the memory. Its weight would give it more than full speed; it
  // runs at 1 and leaves the other half to the second.
  Draft draft;
  const ResourceId memory = draft.resource();
  const TaskId capped = draft.task(0, {{draft.resource(), 1000}, {memory, 500}}, 100);
  const TaskId other = draft.task(0, {{memory, 500}}, 1);
  const Timeline timeline = draft.run();
  CHECK(timeline.finish[capped] == Time{1000});
  CHECK(timeline.finish[other] == Time{1000});
}

TEST_CASE("a change of speed is not felt beyond resources that can be full") {
  // b shares one link with a and touches, at a tenth, a memory that c uses at nine tenths: c never
  // notices that b comes and goes.
  Draft draft;
  const ResourceId link = draft.resource();
  const ResourceId memory = draft.resource();
  draft.task(0, {{link, 1000}});
  draft.task(0, {{link, 500}, {memory, 50}});
  const TaskId c = draft.task(0, {{draft.resource(), 2000}, {memory, 1800}});
  CHECK(draft.run().finish[c] == Time{2000});
}

TEST_CASE("tasks of one stream run in the order of addition, one at a time") {
  Draft draft;
  const StreamId stream = draft.stream();
  const ResourceId link = draft.resource();
  const TaskId first = draft.task(stream, 10);
  const TaskId second = draft.task(stream, 0, {{link, 20}});
  const TaskId third = draft.task(stream, 5, {{link, 20}});
  const Timeline timeline = draft.run();
  CHECK(timeline.start[second] == timeline.finish[first]);
  CHECK(timeline.finish[second] == Time{30});
  CHECK(timeline.start[third] == Time{30});
  CHECK(timeline.finish[third] == Time{55});
}

TEST_CASE("a task that waits holds up its stream, even if the next one could run") {
  Draft draft;
  const StreamId stream = draft.stream();
  const TaskId slow = draft.task(100);
  const TaskId waits = draft.task(stream, 1);
  const TaskId free = draft.task(stream, 1);
  draft.order(slow, waits);
  const Timeline timeline = draft.run();
  CHECK(timeline.start[waits] == Time{100});
  CHECK(timeline.start[free] == Time{101});
}

TEST_CASE("a latency holds the stream but no resource") {
  Draft draft;
  const ResourceId link = draft.resource();
  const TaskId launching = draft.task(1000, {{link, 10}});
  const TaskId flow = draft.task(0, {{link, 1000}});
  const Timeline timeline = draft.run();
  CHECK(timeline.finish[flow] == Time{1000});
  CHECK(timeline.finish[launching] == Time{1010});
}

TEST_CASE("a diamond waits for its slower side") {
  Draft draft;
  const TaskId top = draft.task(1);
  const TaskId fast = draft.task(10);
  const TaskId slow = draft.task(30);
  const TaskId bottom = draft.task(2);
  for (const TaskId side : {fast, slow}) {
    draft.order(top, side);
    draft.order(side, bottom);
  }
  const Timeline timeline = draft.run();
  CHECK(timeline.start[fast] == Time{1});
  CHECK(timeline.start[slow] == Time{1});
  CHECK(timeline.start[bottom] == Time{31});
  CHECK(timeline.makespan == Time{33});
}

TEST_CASE("tasks that take no time pass a moment on through any number of streams") {
  Draft draft;
  TaskId last = draft.task(5);
  for (int i = 0; i < 1000; ++i) {
    const TaskId next = draft.task(0);
    draft.order(last, next);
    last = next;
  }
  const TaskId end = draft.task(5);
  draft.order(last, end);
  const Timeline timeline = draft.run();
  CHECK(timeline.start[last] == Time{5});
  CHECK(timeline.finish[last] == Time{5});
  CHECK(timeline.finish[end] == Time{10});
  CHECK(timeline.events == 2);
}

TEST_CASE("a flow that another one replaces at the same moment leaves the others' speeds alone") {
  // The stream of b and c keeps one flow on the link all the time: a runs at 1/2 throughout.
  Draft draft;
  const ResourceId link = draft.resource();
  const StreamId stream = draft.stream();
  const TaskId a = draft.task(0, {{link, 301}});
  draft.task(stream, 0, {{link, 101}});
  const TaskId c = draft.task(stream, 0, {{link, 200}});
  const Timeline timeline = draft.run();
  CHECK(timeline.finish[a] == Time{602});
  CHECK(timeline.finish[c] == Time{602});
}

TEST_CASE("a deep chain adds up without drift") {
  constexpr std::int64_t kTasks = 100'000;
  Draft draft;
  const ResourceId link = draft.resource(3e6);
  const StreamId streams[] = {draft.stream(), draft.stream()};
  TaskId last = draft.task(streams[0], 0);
  for (std::int64_t i = 0; i < kTasks; ++i) {
    const TaskId next = draft.task(streams[i % 2], 1, {{link, 1e9}});  // 333.33 ps
    draft.order(last, next);
    last = next;
  }
  CHECK(draft.run().finish[last] == Time{kTasks * (1 + 333)});
}

TEST_CASE("a speed that drops and recovers costs exactly the company") {
  // b comes for work 250 at half speed: a, 10^15 ps long, ends exactly 250 later.
  constexpr std::int64_t kLong = 1'000'000'000'000'000;
  Draft draft;
  const ResourceId link = draft.resource();
  const TaskId a = draft.task(0, {{link, static_cast<double>(kLong)}});
  const TaskId b = draft.task(123'456'789'012'345, {{link, 250}});
  const Timeline timeline = draft.run();
  CHECK(timeline.finish[b] == Time{123'456'789'012'345 + 500});
  CHECK(timeline.finish[a] == Time{kLong + 250});
}

TEST_CASE("without its communication a graph takes the time of its computation") {
  Draft draft;
  const StreamId compute = draft.stream();
  const StreamId network = draft.stream();
  const TaskId produce = draft.task(compute, 0, {{draft.resource(), 100}});
  const TaskId send = draft.task(network, 10, {{draft.resource(), 50}});
  const TaskId consume = draft.task(compute, 0, {{draft.resource(), 100}});
  draft.order(produce, send);
  draft.order(send, consume);
  const TaskGraph graph = draft.graph();
  const std::array<std::uint8_t, 3> zeroed = {0, 1, 0};
  CHECK(simulate(graph).makespan == Time{260});
  const Timeline timeline = simulate(graph, {.zeroed = zeroed});
  CHECK(timeline.makespan == Time{200});
  CHECK(timeline.start[send] == Time{100});
  CHECK(timeline.finish[send] == Time{100});
}

TEST_CASE("a mask of zeroed tasks must cover all tasks") {
  Draft draft;
  draft.task(1);
  const std::array<std::uint8_t, 2> zeroed = {0, 1};
  CHECK_THROWS_AS(simulate(draft.graph(), {.zeroed = zeroed}), std::invalid_argument);
}

TEST_CASE("times beyond the range are an error, and the engine can be used again") {
  Engine engine;
  Draft absurd;
  const ResourceId link = absurd.resource();
  const StreamId stream = absurd.stream();
  absurd.task(stream, 0, {{link, 4e18}});
  absurd.task(stream, 0, {{link, 4e18}});
  absurd.task(1);
  CHECK_THROWS_AS(engine.simulate(absurd.graph()), std::overflow_error);
  Draft endless;
  endless.task(0, {{endless.resource(1e-12), 1e12}});
  CHECK_THROWS_AS(engine.simulate(endless.graph()), std::overflow_error);
  Draft latency;
  latency.task(Time::max().ps);
  CHECK_THROWS_AS(engine.simulate(latency.graph()), std::overflow_error);

  Draft plain;
  plain.task(3);
  CHECK(engine.simulate(plain.graph()).makespan == Time{3});
}

TEST_CASE("the durations of a timeline are finish minus start") {
  Timeline timeline;
  timeline.start = {Time{1}, Time{5}};
  timeline.finish = {Time{4}, Time{5}};
  CHECK(durations(timeline) == std::vector<Time>{Time{3}, Time{0}});
}
