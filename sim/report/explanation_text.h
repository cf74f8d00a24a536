#pragma once

#include <string>
#include <string_view>

#include "sim/study/explanation.h"

namespace tradewind::report {

/// For people: where the time goes against the speed of light and what each cost stands on, what
/// +10 % of each parameter does, the critical path by kernel.
std::string explanation_table(const study::Explanation& explanation);

/// { "result" (interface.md), "kernels": [ { "phase", "kernel", "time_ms", "speed_of_light_ms",
/// "provenance", "bound" } ], "elasticities": [ { "parameter", "latency", "tpot", "throughput" } ],
/// "critical_path": { "decode_steps", "kernels": [ { "phase", "kernel", "time_ms", "share" } ] } }
/// as compact text. Elasticities are relative changes for +10 %.
std::string explanation_json(const study::Explanation& explanation, std::string_view version);

}  // namespace tradewind::report
