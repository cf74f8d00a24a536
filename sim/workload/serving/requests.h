#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/serving.h"

namespace tradewind::workload {

/// The requests of a run, in order of arrival: lengths drawn from their distributions
/// (request_lengths.h) or the file's, times drawn from the arrival process or the file's; a closed
/// loop's and a burst's are 0.
///
/// The same seed gives the same requests on every platform: the generator is the standard's
/// mt19937_64, the transforms are request_draws.h's. Input lengths, output lengths and arrivals
/// have streams of their own, so that a change of one (the rate, say) leaves the others as they
/// were. The first request arrives at 0, as vLLM's benchmark sends it; times are rounded to whole
/// microseconds, without adding up.
std::vector<scenario::Request> draw_requests(const scenario::Serving& serving, std::uint64_t seed);

}  // namespace tradewind::workload
