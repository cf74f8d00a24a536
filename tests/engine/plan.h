#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "sim/graph/task_graph_builder.h"

/// A task graph as its author would write it down: what both the engine and the reference read.
struct PlannedTask {
  std::uint32_t stream = 0;
  std::int64_t latency_ps = 0;
  std::vector<tradewind::graph::Demand> demands;
  double weight = 1;
};

struct Plan {
  std::uint32_t streams = 0;
  /// Amount a picosecond: with capacity 1, an amount of n takes n ps.
  std::vector<double> capacities_per_ps;
  std::vector<PlannedTask> tasks;
  /// (before, after)
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dependencies;
};

tradewind::graph::TaskGraph compile(const Plan& plan);

/// A random number from 0 to limit - 1, the same on every platform.
std::uint32_t below(std::uint32_t limit, std::mt19937& random);

/// Any streams, capacities, latencies, demands, weights and forward dependencies, some of each
/// zero or absent.
Plan random_plan(std::mt19937& random);
