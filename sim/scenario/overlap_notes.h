#pragma once

#include <string>
#include <vector>

#include "sim/scenario/scenario.h"

namespace tradewind::scenario {

/// What of the plan's overlap and sequence sharding does nothing here, or not what it seems, one
/// sentence each: sites and strategies without a collective, and passes whose tokens do not divide,
/// which are padded to whole slices as vLLM and Megatron pad for sequence parallelism. Empty when
/// there is nothing to say. REQUIRES: no structural_reason.
std::vector<std::string> overlap_notes(const Scenario& scenario);

}  // namespace tradewind::scenario
