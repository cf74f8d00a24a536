#pragma once

#include <string>

#include "sim/workload/serving/serving_result.h"

namespace tradewind::report {

/// One row a request, in order of arrival: `request` (from 0), `arrival_ms`, `queue_ms` (until its
/// first step), `ttft_ms`, `tpot_ms` (empty below two output tokens), `e2e_latency_ms`,
/// `input_tokens`, `output_tokens`, `preemptions`. Of a request that was rejected the times but
/// its arrival are empty.
std::string request_csv(const workload::ServingOutcome& outcome);

}  // namespace tradewind::report
