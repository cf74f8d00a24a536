#include "sim/study/explanation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <tuple>

#include "sim/core/overload.h"
#include "sim/graph/critical_path.h"
#include "sim/workload/run.h"
#include "sim/workload/unfolded.h"

namespace tradewind::study {
namespace {

using scenario::Scenario;

constexpr double kStep = 1.1;
/// Decode steps are alike: a few show the path.
constexpr int kPathDecodeSteps = 2;
/// A path through more tasks than this takes seconds and shows nothing new.
constexpr std::size_t kMostPathTasks = 2'000'000;

Scenario with_cluster(const Scenario& scenario,
                      const std::function<void(hardware::Cluster&)>& set) {
  Scenario changed = scenario;
  hardware::Cluster cluster = *scenario.cluster;
  set(cluster);
  changed.cluster = std::make_shared<const hardware::Cluster>(std::move(cluster));
  return changed;
}

Scenario with_runtime(const Scenario& scenario,
                      const std::function<void(scenario::Runtime&)>& set) {
  Scenario changed = scenario;
  scenario::Runtime runtime = *scenario.runtime;
  set(runtime);
  changed.runtime = std::make_shared<const scenario::Runtime>(std::move(runtime));
  return changed;
}

void raise_matrix_rate(hardware::Cluster& cluster) {
  hardware::Accelerator& accelerator = cluster.node.accelerator;
  for (double& peak : accelerator.peak_flops_per_s) peak *= kStep;
  for (double& rate : accelerator.flops_per_clock_per_compute_unit) rate *= kStep;
}

struct Change {
  std::string name;
  Scenario scenario;
};

std::vector<Change> changes(const Scenario& scenario) {
  std::vector<Change> all;
  const auto cluster = [&](const char* name, const std::function<void(hardware::Cluster&)>& set) {
    all.push_back({name, with_cluster(scenario, set)});
  };
  const auto runtime = [&](const char* name, const std::function<void(scenario::Runtime&)>& set) {
    all.push_back({name, with_runtime(scenario, set)});
  };
  cluster("matrix rate", raise_matrix_rate);
  cluster("HBM bandwidth",
          [](hardware::Cluster& c) { c.node.accelerator.hbm_bandwidth_bytes_per_s *= kStep; });
  cluster("last-level cache",
          [](hardware::Cluster& c) { c.node.accelerator.last_level_cache_bytes *= kStep; });
  cluster("link bandwidth",
          [](hardware::Cluster& c) { c.node.link_bandwidth_bytes_per_s *= kStep; });
  if (scenario.cluster->network) {
    cluster("network bandwidth",
            [](hardware::Cluster& c) { c.network->bandwidth_per_node_bytes_per_s *= kStep; });
    cluster("network latency", [](hardware::Cluster& c) { c.network->latency_s *= kStep; });
  }
  runtime("host time of a step", [](scenario::Runtime& r) {
    r.step_host_s *= kStep;
    r.step_host_per_sequence_s *= kStep;
  });
  runtime("launch of a kernel", [](scenario::Runtime& r) {
    r.kernel_launch_s *= kStep;
    r.graph_kernel_gap_s *= kStep;
  });
  runtime("launch of a graph", [](scenario::Runtime& r) { r.graph_launch_s *= kStep; });
  return all;
}

std::optional<double> relative(const std::optional<double>& now,
                               const std::optional<double>& before) {
  if (!now || !before || *before == 0) return std::nullopt;
  return *now / *before - 1;
}

Elasticity elasticity(const Change& change, const workload::Metrics& before) {
  const workload::Metrics now = workload::run(change.scenario).metrics;
  const bool has_first_token = before.ttft_ms.has_value();
  const auto latency = [&](const workload::Metrics& m) {
    return has_first_token ? m.ttft_ms : m.makespan_ms;
  };
  return {change.name, relative(latency(now), latency(before)),
          relative(now.tpot_ms, before.tpot_ms),
          before.output_tokens_per_s ? relative(now.output_tokens_per_s, before.output_tokens_per_s)
                                     : relative(now.total_tokens_per_s, before.total_tokens_per_s)};
}

double effect(const Elasticity& e) {
  return std::max({std::abs(e.latency.value_or(0)), std::abs(e.tpot.value_or(0)),
                   std::abs(e.throughput.value_or(0))});
}

/// The graph to follow the path through; none where it is too large, and none of serving, which is
/// no single graph.
std::optional<workload::UnfoldedRun> path_run(const Scenario& scenario) {
  using Run = std::optional<workload::UnfoldedRun>;
  const workload::RunContext context(scenario);
  const auto is_small = [&](std::span<const lowering::ScheduledPass> passes) {
    return lowering::unfolded_task_count(scenario, passes) <= kMostPathTasks;
  };
  return std::visit(
      Overload{[&](const scenario::StaticBatch& batch) {
                 const auto passes = workload::scheduled_passes(context, batch, kPathDecodeSteps);
                 if (!is_small(passes)) return Run();
                 return Run(workload::run_unfolded(context, batch, kPathDecodeSteps));
               },
               [&](const scenario::Block& block) {
                 return is_small({}) ? Run(workload::run_unfolded(context, block)) : Run();
               },
               [](const scenario::Training&) { return Run(); },
               [](const scenario::Serving&) { return Run(); }},
      scenario.workload);
}

void follow_path(Explanation& explanation) {
  const std::optional<workload::UnfoldedRun> run = path_run(explanation.scenario);
  if (!run) return;
  const auto* batch = std::get_if<scenario::StaticBatch>(&explanation.scenario.workload);
  if (batch) explanation.path_decode_steps = std::min(kPathDecodeSteps, batch->output_tokens - 1);
  const std::vector<Time> durations = engine::durations(run->timeline);
  const graph::CriticalPath path = graph::critical_path(run->unfolded.graph, durations);
  for (const graph::TaskId task : path.tasks) {
    if (durations[task].ps == 0) continue;
    const auto phase = static_cast<lowering::Phase>(run->unfolded.phase_of_task[task]);
    const std::string of = batch ? std::string(to_string(phase)) : "block";
    const std::string name(lowering::task_name(run->unfolded.graph.label(task)));
    auto known = std::find_if(
        explanation.path.begin(), explanation.path.end(),
        [&](const PathShare& share) { return share.phase == of && share.name == name; });
    if (known == explanation.path.end()) {
      known = explanation.path.insert(known, PathShare{of, name, 0, 0});
    }
    known->time_ms += durations[task].milliseconds();
  }
  for (PathShare& share : explanation.path)
    share.share = share.time_ms / path.length.milliseconds();
  std::sort(explanation.path.begin(), explanation.path.end(),
            [](const PathShare& a, const PathShare& b) {
              return std::tie(b.time_ms, a.phase, a.name) < std::tie(a.time_ms, b.phase, b.name);
            });
}

}  // namespace

Explanation explain(const Scenario& scenario) {
  Explanation explanation{scenario, workload::run(scenario), {}, {}, 0};
  if (!explanation.result.metrics.makespan_ms) return explanation;
  for (const Change& change : changes(scenario)) {
    explanation.elasticities.push_back(elasticity(change, explanation.result.metrics));
  }
  std::stable_sort(explanation.elasticities.begin(), explanation.elasticities.end(),
                   [](const Elasticity& a, const Elasticity& b) { return effect(a) > effect(b); });
  follow_path(explanation);
  return explanation;
}

}  // namespace tradewind::study
