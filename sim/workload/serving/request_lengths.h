#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/serving.h"
#include "sim/workload/serving/request_draws.h"

namespace tradewind::workload {

/// `count` lengths of a distribution in random order: what the shortest, the second, ... the
/// longest of `count` independent draws are on average, by I. I. Gringorten's plotting position (J.
/// Geophys. Res. 68, 1963): the quantiles at (i + 0.56) / (count + 0.12), i from 0. Whole tokens,
/// within the length's bounds.
///
/// So a run has the mean and the tail that were asked for, and its seed decides only which lengths
/// meet. Independent draws would not do: the longest of 500 exponential outputs strays by a fifth,
/// and with it the end of a burst (its tokens/s by 8 % from seed to seed).
std::vector<std::int32_t> draw_lengths(const scenario::Length& length, std::size_t count,
                                       Draws& draws);

}  // namespace tradewind::workload
