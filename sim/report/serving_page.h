#pragma once

#include <string>

#include "sim/report/html.h"

namespace tradewind::report {

/// One serving run as an HTML page that needs no other file and no network: what came out, latency
/// CDFs (time to first token, time per output token, end to end), requests running and waiting,
/// occupancy of the KV cache and throughput over time. REQUIRES: result.serving.
std::string serving_page(const scenario::Scenario& scenario, const workload::Result& result,
                         const ReportOrigin& origin);

}  // namespace tradewind::report
