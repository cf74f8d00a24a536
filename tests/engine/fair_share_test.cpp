#include "sim/engine/fair_share.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "tests/catch.h"
#include "tests/engine/plan.h"

using tradewind::engine::FairShare;
using namespace tradewind::graph;

namespace {

/// A random graph with one task with demands on each stream: task i on stream i.
TaskGraph one_task_a_stream(std::mt19937& random) {
  Plan plan;
  plan.streams = 1 + below(12, random);
  const std::uint32_t resources = 1 + below(8, random);
  for (std::uint32_t k = 0; k < resources; ++k)
    plan.capacities_per_ps.push_back(1 + below(5, random));
  for (std::uint32_t stream = 0; stream < plan.streams; ++stream) {
    PlannedTask task;
    task.stream = stream;
    task.weight = 1 + below(3, random);
    const std::uint32_t demands = 1 + below(3, random);
    for (std::uint32_t k = 0; k < demands; ++k) {
      task.demands.push_back({below(resources, random), 1.0 + below(9, random)});
    }
    plan.tasks.push_back(task);
  }
  return compile(plan);
}

/// Speeds of the tasks at work, kept up to date from what `solve` reports.
class Speeds {
 public:
  explicit Speeds(const TaskGraph& graph) : speeds_(graph.stream_count()) {
    fair_share_.reset(graph);
  }
  void enter(TaskId task) { fair_share_.enter(task); }
  void leave(TaskId task) {
    fair_share_.leave(task);
    speeds_[task] = 0;
  }
  const std::vector<double>& solve() {
    for (const auto& change : fair_share_.solve()) speeds_[change.stream] = change.speed;
    return speeds_;
  }

 private:
  FairShare fair_share_;
  std::vector<double> speeds_;
};

/// Sum over the tasks of speed times share of the resource.
double use(const TaskGraph& graph, ResourceId resource, const std::vector<double>& speeds) {
  double sum = 0;
  for (TaskId task = 0; task < graph.task_count(); ++task) {
    for (const ResourceShare& demand : graph.demands(task)) {
      if (demand.resource == resource) sum += speeds[task] * demand.share;
    }
  }
  return sum;
}

bool uses(const TaskGraph& graph, TaskId task, ResourceId resource) {
  for (const ResourceShare& demand : graph.demands(task)) {
    if (demand.resource == resource) return true;
  }
  return false;
}

/// The certificate of weighted max-min fairness: whoever runs below full speed uses a full
/// resource on which nobody gets more for his weight.
bool has_bottleneck(const TaskGraph& graph, TaskId task, const std::vector<double>& speeds,
                    double tolerance) {
  if (speeds[task] >= 1) return true;
  for (const ResourceShare& demand : graph.demands(task)) {
    if (use(graph, demand.resource, speeds) < 1 - tolerance) continue;
    bool is_highest = true;
    for (TaskId other = 0; other < graph.task_count(); ++other) {
      if (!uses(graph, other, demand.resource)) continue;
      is_highest = is_highest && speeds[other] / graph.weight(other) <=
                                     speeds[task] / graph.weight(task) + tolerance;
    }
    if (is_highest) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("any coming and going leaves feasible, max-min fair speeds, in (0, 1]") {
  // Sums of a dozen doubles near 1, and the 1e-12 that whole units cut off.
  constexpr double kTolerance = 1e-10;
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const TaskGraph graph = one_task_a_stream(random);
    Speeds running(graph);
    std::set<TaskId> at_work;
    for (int step = 0; step < 20; ++step) {
      for (TaskId task = 0; task < graph.task_count(); ++task) {
        if (below(4, random) != 0) continue;
        if (at_work.erase(task) == 1) {
          running.leave(task);
        } else {
          at_work.insert(task);
          running.enter(task);
        }
      }
      const std::vector<double>& speeds = running.solve();
      for (ResourceId resource = 0; resource < graph.resource_count(); ++resource) {
        REQUIRE(use(graph, resource, speeds) <= 1 + kTolerance);
      }
      for (const TaskId task : at_work) {
        REQUIRE(speeds[task] > 0);
        REQUIRE(speeds[task] <= 1);
        REQUIRE(has_bottleneck(graph, task, speeds, kTolerance));
      }

      Speeds fresh(graph);
      for (const TaskId task : at_work) fresh.enter(task);
      REQUIRE(fresh.solve() == speeds);  // bit by bit: history leaves no trace
    }
  }
}

TEST_CASE("only what changes is reported") {
  TaskGraphBuilder builder;
  const ResourceId links[] = {builder.add_resource(1), builder.add_resource(1)};
  for (int i = 0; i < 4; ++i) {
    const Demand demands[] = {{links[i / 2], 1}};
    builder.add_task({.stream = builder.add_stream(), .demands = demands});
  }
  const TaskGraph graph = builder.build();
  FairShare fair_share;
  fair_share.reset(graph);
  CHECK(fair_share.solve().empty());
  for (TaskId task = 0; task < 3; ++task) fair_share.enter(task);
  CHECK(fair_share.solve().size() == 3);
  CHECK(fair_share.solve().empty());
  fair_share.enter(3);
  const auto changes = fair_share.solve();
  REQUIRE(changes.size() == 2);  // the other link is another component
  CHECK(changes[0].stream + changes[1].stream == 2 + 3);
  CHECK(changes[0].speed == 0.5);
  CHECK(changes[1].speed == 0.5);
}

TEST_CASE("shares that add up to a full resource do not count as more, even after rounding") {
  for (const int n : {3, 7, 10, 49, 1000}) {
    TaskGraphBuilder builder;
    const ResourceId memory = builder.add_resource(1);
    for (int i = 0; i < n; ++i) {
      const Demand demands[] = {{builder.add_resource(1), 1}, {memory, 1.0 / n}};
      builder.add_task({.stream = builder.add_stream(), .demands = demands});
    }
    const TaskGraph graph = builder.build();
    FairShare fair_share;
    fair_share.reset(graph);
    for (TaskId task = 0; task < graph.task_count(); ++task) fair_share.enter(task);
    for (const auto& change : fair_share.solve()) REQUIRE(change.speed == 1);
  }
}
