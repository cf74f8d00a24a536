#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/study/sweep.h"

namespace tradewind::report {

/// "TP4 PP2 DP1", and what else of the plan is not as by default: "TP8 PP2 DP1 SP NB8 flash x16".
std::string plan_label(const scenario::Plan& plan);

/// Sequences that a replica works on together, where the workload has such a number (serving has
/// not).
std::optional<int> batch_of(const scenario::Scenario& scenario);

/// "fp8", or "fp4/bf16/fp8" for weights, activations and KV cache without a shorthand.
std::string precision_label(const model::Precision& precision);

/// "static batch of 64, 1,024 tokens in, 128 out", "1,000 requests, 1,024 tokens in, 128 out, 4
/// requests/s, Poisson".
std::string workload_label(const scenario::Workload& workload);

/// The same without batch or arrivals: "1,024 tokens in, 128 out".
std::string length_label(const scenario::Workload& workload);

/// True for the axes that the plan label or the batch shows.
bool is_plan_or_batch_axis(const std::string& path);

/// The plan, then the point's value on each axis that the plan and the batch do not show:
/// "TP4 PP2 DP1 vllm input_tokens=1024", without the axis `left_out`. Points of one family differ
/// in batch (and in that axis) only.
std::string family_label(const study::SweepResults& results, const study::Point& point,
                         std::string_view left_out = {});

/// Who answered which question: "llama-3.1-70b, fp8, vllm".
std::string system_label(const scenario::Scenario& scenario);

}  // namespace tradewind::report
