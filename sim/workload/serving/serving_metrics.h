#pragma once

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"
#include "sim/workload/serving/server.h"

namespace tradewind::workload {

/// What clients see: times by request with percentiles (linear between ranks, as numpy's default),
/// rates, goodput under the service level, rejections.
void report_requests(Metrics& metrics, const scenario::Scenario& scenario,
                     const scenario::Serving& serving, const Server& server);

/// What the engines see: queue lengths, occupancy of the cache, preemptions.
void report_queues(Metrics& metrics, Server& server);

}  // namespace tradewind::workload
