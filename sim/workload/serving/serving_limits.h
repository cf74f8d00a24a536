#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/serving/server.h"

namespace tradewind::workload {

/// The scheduler's arguments are the scenario's where it says something, else the runtime's:
/// `context`'s replicas with the cache that `kv_cache_capacity_tokens` make.
Pool make_pool(const RunContext& context, const scenario::Serving& serving,
               std::int64_t kv_cache_capacity_tokens, int replicas);

}  // namespace tradewind::workload
