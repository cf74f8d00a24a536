#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"
#include "sim/workload/serving/server.h"

namespace tradewind::workload {

/// One pool of a plan with prefill and decode apart, as a deployment of its own.
scenario::Scenario pool_scenario(const scenario::Scenario& scenario,
                                 const scenario::PoolPlan& pool);

/// Why the pools can't be laid on the cluster, or empty; `result.memory` becomes the decode pool's,
/// which holds the sequences longest.
std::string pools_reason(const scenario::Scenario& scenario, Result& result);

/// How long the cache of so many tokens takes from one pool to the other: every rank of the smaller
/// group moves its share at once, through the NICs where the pools are not in one node.
Time cache_transfer(const RunContext& context, const scenario::Disaggregated& pools,
                    std::int64_t tokens);

}  // namespace tradewind::workload
