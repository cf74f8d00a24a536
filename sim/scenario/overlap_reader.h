#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/json/reader.h"
#include "sim/scenario/overlap.h"

namespace tradewind::scenario {

/// plan.overlap: a strategy's name or alias (`none` = `vanilla`, `flash-overlap` = `commfuse` =
/// `flash`), or an object { strategy, slices, on, transport, order }. InputError on an unknown or
/// repeated site, and on slices or sites for vanilla, which takes nothing apart.
Overlap read_overlap(const json::Node& node);

/// The object form, without what was left to the strategy (`slices`, `on`).
nlohmann::ordered_json to_json(const Overlap& overlap);

}  // namespace tradewind::scenario
