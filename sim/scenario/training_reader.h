#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/json/reader.h"
#include "sim/scenario/plan.h"
#include "sim/scenario/training.h"

namespace tradewind::scenario {

/// The members of a workload of kind `training` (interface.md), all but `kind`. A schedule may be
/// written with underscores. Throws InputError.
Training read_training(json::ObjectReader& reader);
nlohmann::ordered_json to_json(const Training& training);

/// The members of a plan that only training uses: cp, virtual_stages, zero_stage, dp_replicate.
void read_training_degrees(json::ObjectReader& reader, Plan& plan);
/// Throws InputError where such a member would be without effect.
void refuse_training_degrees(const json::Node& plan);
void add_training_degrees(nlohmann::ordered_json& json, const Plan& plan);

}  // namespace tradewind::scenario
