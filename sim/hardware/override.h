#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace tradewind::hardware {

/// Gives the figure at a dotted path of a profile ("link.latency_s", "peak_flops_per_s.fp4",
/// "kernels.gemm.vllm.bf16.NAME") another value, from then on `assumed` with `source`. A figure
/// that the profile leaves out is added where its section exists. False when there is no place for
/// it; whether the value suits is for the strict reader to say.
bool override_figure(nlohmann::json& profile, std::string_view path, const nlohmann::json& value,
                     std::string_view source);

}  // namespace tradewind::hardware
