#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include "sim/core/time.h"
#include "sim/engine/engine.h"
#include "sim/graph/critical_path.h"
#include "sim/graph/task_graph_builder.h"

namespace {

using tradewind::Time;
using tradewind::engine::Engine;
using namespace tradewind::graph;

/// Amounts are seconds: capacities are 1 a second.
struct Device {
  StreamId compute;
  StreamId network;
  ResourceId memory;
  TaskId last_transfer = kNoTask;
};

/// Layers of one kernel and one transfer a device, 20 to 80 us each at random, so that devices
/// drift apart and hardly two events coincide. The kernel is bound by memory; the transfer holds
/// the link of a pair of devices and takes 30 % of the memory: a task works in company nearly all
/// the time, in components of up to four. Every transfer waits for its kernel, every fourth
/// kernel for the transfer before.
TaskGraph contended_layers(std::int64_t tasks, std::uint32_t devices) {
  TaskGraphBuilder builder;
  std::vector<Device> all;
  std::vector<ResourceId> links;
  for (std::uint32_t i = 0; i < devices; ++i) {
    all.push_back({builder.add_stream(), builder.add_stream(), builder.add_resource(1)});
    if (i % 2 == 0) links.push_back(builder.add_resource(1));
  }
  std::mt19937 random(1);
  const auto duration_s = [&] { return 1e-9 * (20e3 + static_cast<double>(random() % 60'000)); };
  const std::int64_t layers = tasks / (2 * devices);
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    for (std::uint32_t i = 0; i < devices; ++i) {
      Device& device = all[i];
      const Demand kernel_demands[] = {{device.memory, duration_s()}};
      const TaskId kernel = builder.add_task(
          {.stream = device.compute, .latency = Time{2'000'000}, .demands = kernel_demands});
      const double transfer_s = duration_s();
      const Demand transfer_demands[] = {{links[i / 2], transfer_s},
                                         {device.memory, 0.3 * transfer_s}};
      const TaskId transfer = builder.add_task(
          {.stream = device.network, .latency = Time{3'000'000}, .demands = transfer_demands});
      builder.add_dependency(kernel, transfer);
      if (layer % 4 == 3) builder.add_dependency(device.last_transfer, kernel);
      device.last_transfer = transfer;
    }
  }
  return builder.build();
}

/// Every device sends through its own link and its neighbour's, around a ring, so that all tasks
/// that run are one component.
TaskGraph contended_ring(std::int64_t tasks, std::uint32_t devices) {
  TaskGraphBuilder builder;
  for (std::uint32_t i = 0; i < devices; ++i) {
    builder.add_stream();
    builder.add_resource(1);
  }
  std::mt19937 random(1);
  for (std::int64_t i = 0; i < tasks; ++i) {
    const auto device = static_cast<std::uint32_t>(i % devices);
    const double amount = 1e-9 * (20e3 + static_cast<double>(random() % 60'000));
    const Demand demands[] = {{device, amount}, {(device + 1) % devices, amount}};
    builder.add_task({.stream = device, .demands = demands});
  }
  return builder.build();
}

void run(benchmark::State& state, const TaskGraph& graph) {
  Engine engine;
  for (auto _ : state) benchmark::DoNotOptimize(engine.simulate(graph));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.task_count()));
}

void simulate_layers(benchmark::State& state) {
  run(state, contended_layers(state.range(0), static_cast<std::uint32_t>(state.range(1))));
}
BENCHMARK(simulate_layers)
    ->ArgNames({"tasks", "devices"})
    ->Args({100, 2})
    ->Args({10'000, 64})
    ->Args({100'000, 64})
    ->Args({1'000'000, 64});

void simulate_ring(benchmark::State& state) {
  run(state, contended_ring(state.range(0), static_cast<std::uint32_t>(state.range(1))));
}
BENCHMARK(simulate_ring)->ArgNames({"tasks", "devices"})->Args({100'000, 8})->Args({100'000, 64});

void build_layers(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(contended_layers(state.range(0), 64));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(build_layers)->ArgName("tasks")->Arg(1'000'000);

void find_critical_path(benchmark::State& state) {
  const TaskGraph graph = contended_layers(state.range(0), 64);
  const std::vector<Time> durations = solo_durations(graph);
  for (auto _ : state) benchmark::DoNotOptimize(critical_path(graph, durations));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(find_critical_path)->ArgName("tasks")->Arg(1'000'000);

}  // namespace
