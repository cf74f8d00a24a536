#include "sim/workload/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/core/overload.h"
#include "sim/scenario/overlap_notes.h"
#include "sim/workload/block.h"
#include "sim/workload/serving/pools.h"
#include "sim/workload/serving/serving_run.h"
#include "sim/workload/static_batch.h"
#include "sim/workload/training.h"

namespace tradewind::workload {
namespace {

/// One rank can't stand for all where some compute more slowly.
bool has_stragglers(const hardware::Cluster& cluster) {
  return std::any_of(cluster.device_speeds.begin(), cluster.device_speeds.end(),
                     [](double speed) { return speed != 1; });
}

/// Sequences that the cache holds, where the runtime lets the others wait for their turn.
int sequences_together(const scenario::Scenario& scenario, const scenario::MemoryReport& memory) {
  const auto* batch = std::get_if<scenario::StaticBatch>(&scenario.workload);
  if (!batch) return 0;
  const bool queues = scenario.runtime->queues_beyond_kv_cache && memory.max_batch > 0 &&
                      scenario.plan.kv_accounting == scenario::KvAccounting::resident;
  if (!queues || memory.max_batch >= batch->batch) return batch->batch;
  return static_cast<int>(memory.max_batch);
}

/// Memory as it is used: of the sequences that run together.
scenario::MemoryReport memory_together(scenario::Scenario scenario, int together) {
  std::get<scenario::StaticBatch>(scenario.workload).batch = together;
  return scenario::memory_of(scenario);
}

/// Prefill and decode apart: each pool must be possible on its own.
Result run_pools(const scenario::Scenario& scenario, const RunOptions& options) {
  Result result;
  result.reason = pools_reason(scenario, result);
  result.feasible = result.reason.empty();
  if (!result.feasible) return result;
  result.notes = scenario.runtime->notes;
  run_serving(scenario, std::get<scenario::Serving>(scenario.workload), options.keep_requests,
              result);
  return result;
}

void run_one(const scenario::Scenario& scenario, const RunOptions& options, Result& result) {
  result.reason = scenario::structural_reason(scenario);
  if (!result.reason.empty()) {
    result.feasible = false;
    return;
  }
  if (std::holds_alternative<scenario::Training>(scenario.workload)) {
    const std::vector<std::string> overlap = scenario::overlap_notes(scenario);
    result.notes.insert(result.notes.end(), overlap.begin(), overlap.end());
    run_training(scenario, options, result);
    result.notes.insert(result.notes.end(), scenario.runtime->notes.begin(),
                        scenario.runtime->notes.end());
    return;
  }
  result.memory = scenario::memory_of(scenario);
  const auto* batch = std::get_if<scenario::StaticBatch>(&scenario.workload);
  const int together = sequences_together(scenario, *result.memory);
  if (batch && together < batch->batch) {
    result.memory = memory_together(scenario, together);
    result.notes.push_back(
        fmt::format("the KV cache holds {} of {} sequences: they run in {} waves", together,
                    batch->batch, (batch->batch + together - 1) / together));
  }
  result.reason = scenario::memory_reason(scenario, *result.memory);
  result.feasible = result.reason.empty();
  const bool simulate =
      result.feasible || scenario.plan.memory_check == scenario::MemoryCheck::report;
  if (!simulate) return;
  const auto add_notes = [&](const std::vector<std::string>& notes) {
    result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  };
  add_notes(scenario::overlap_notes(scenario));
  add_notes(scenario.runtime->notes);
  const bool stragglers = has_stragglers(*scenario.cluster);
  if (stragglers) {
    result.notes.emplace_back("device_speeds differ: every rank is simulated, none stands for all");
  }
  const bool full = options.full || stragglers;
  std::visit(
      Overload{[&](const scenario::StaticBatch& sequences) {
                 run_static_batch(scenario, sequences, together, full, result);
               },
               [&](const scenario::Block& block) { run_block(scenario, block, full, result); },
               [](const scenario::Training&) {},  // above: its memory depends on its schedule
               [&](const scenario::Serving& serving) {
                 run_serving(scenario, serving, options.keep_requests, result);
               }},
      scenario.workload);
}

}  // namespace

Result run(const scenario::Scenario& scenario, const RunOptions& options) {
  if (scenario.plan.pools) return run_pools(scenario, options);
  Result result;
  try {
    run_one(scenario, options, result);
  } catch (const std::overflow_error& error) {  // absurd sizes, let through by memory_check: report
    result.feasible = false;
    result.reason = error.what();
  }
  return result;
}

}  // namespace tradewind::workload
