#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/json/reader.h"
#include "sim/scenario/serving.h"

namespace tradewind::scenario {

inline constexpr int kMostRequestTokens = 100'000'000;

/// A number of tokens, or `{ "distribution": NAME, "mean", "stddev", "min", "max" }`: `fixed` and
/// `exponential` have a mean, `normal` and `lognormal` a mean and a standard deviation (of the
/// lengths themselves, not of their logarithms), `uniform` has min and max, both included. Drawn
/// lengths are cut to `min` (default 1) and `max` (default: none). InputError for anything else.
Length read_length(const json::Node& node);

/// In the form that `read_length` takes.
nlohmann::ordered_json to_json(const Length& length);

}  // namespace tradewind::scenario
