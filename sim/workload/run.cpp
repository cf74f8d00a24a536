#include "sim/workload/run.h"

#include <algorithm>

#include "sim/scenario/overlap_notes.h"
#include "sim/workload/block.h"
#include "sim/workload/static_batch.h"

namespace tradewind::workload {
namespace {

/// One rank can't stand for all where some compute more slowly.
bool has_stragglers(const hardware::Cluster& cluster) {
  return std::any_of(cluster.device_speeds.begin(), cluster.device_speeds.end(),
                     [](double speed) { return speed != 1; });
}

}  // namespace

Result run(const scenario::Scenario& scenario, const RunOptions& options) {
  Result result;
  result.reason = scenario::structural_reason(scenario);
  if (!result.reason.empty()) {
    result.feasible = false;
    return result;
  }
  result.memory = scenario::memory_of(scenario);
  result.reason = scenario::memory_reason(scenario, *result.memory);
  result.feasible = result.reason.empty();
  const bool simulate =
      result.feasible || scenario.plan.memory_check == scenario::MemoryCheck::report;
  if (!simulate) return result;
  result.notes = scenario::overlap_notes(scenario);
  const bool stragglers = has_stragglers(*scenario.cluster);
  if (stragglers) {
    result.notes.emplace_back("device_speeds differ: every rank is simulated, none stands for all");
  }
  const bool full = options.full || stragglers;
  if (const auto* batch = std::get_if<scenario::StaticBatch>(&scenario.workload)) {
    run_static_batch(scenario, *batch, full, result);
  } else {
    run_block(scenario, std::get<scenario::Block>(scenario.workload), full, result);
  }
  return result;
}

}  // namespace tradewind::workload
