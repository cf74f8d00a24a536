#include "tests/engine/plan.h"

using tradewind::Time;

tradewind::graph::TaskGraph compile(const Plan& plan) {
  tradewind::graph::TaskGraphBuilder builder;
  for (std::uint32_t stream = 0; stream < plan.streams; ++stream) builder.add_stream();
  for (const double capacity : plan.capacities_per_ps) builder.add_resource(capacity * 1e12);
  for (const PlannedTask& task : plan.tasks) {
    builder.add_task({.stream = task.stream,
                      .latency = Time{task.latency_ps},
                      .weight = task.weight,
                      .demands = task.demands});
  }
  for (const auto& [before, after] : plan.dependencies) builder.add_dependency(before, after);
  return builder.build();
}

std::uint32_t below(std::uint32_t limit, std::mt19937& random) {
  return static_cast<std::uint32_t>(random() % limit);
}

Plan random_plan(std::mt19937& random) {
  Plan plan;
  plan.streams = 1 + below(8, random);
  const std::uint32_t resources = 1 + below(6, random);
  for (std::uint32_t i = 0; i < resources; ++i)
    plan.capacities_per_ps.push_back(1 + below(8, random));
  const std::uint32_t tasks = 1 + below(60, random);
  for (std::uint32_t i = 0; i < tasks; ++i) {
    PlannedTask task;
    task.stream = below(plan.streams, random);
    task.latency_ps = below(3, random) == 0 ? below(100'000, random) : 0;
    task.weight = below(3, random) == 0 ? 1 + below(4, random) : 1;
    const std::uint32_t demands = below(4, random);
    for (std::uint32_t k = 0; k < demands; ++k) {
      task.demands.push_back(
          {below(resources, random), static_cast<double>(below(1'000'000, random))});
    }
    plan.tasks.push_back(task);
    if (i > 0 && below(2, random) == 0) plan.dependencies.emplace_back(below(i, random), i);
  }
  return plan;
}
