#pragma once

#include <cstdint>
#include <optional>

#include "sim/model/config.h"
#include "sim/scenario/workload.h"

namespace tradewind::scenario {

/// The layer that a block of that part is taken from: the first that has it, or nothing where the
/// model has no such layer.
std::optional<std::int64_t> layer_of_block(const model::ModelConfig& model, BlockPart part);

}  // namespace tradewind::scenario
