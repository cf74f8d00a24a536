#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/serving/server.h"

namespace tradewind::workload {

/// The scheduler's arguments: the scenario's where it says something, else the runtime's.
SchedulerLimits scheduler_limits(const scenario::Scenario& scenario,
                                 const scenario::SchedulerOptions& options);

/// `context`'s replicas with the cache that `kv_cache_capacity_tokens` make.
Pool make_pool(const RunContext& context, const scenario::SchedulerOptions& options,
               std::int64_t kv_cache_capacity_tokens, int replicas);

}  // namespace tradewind::workload
