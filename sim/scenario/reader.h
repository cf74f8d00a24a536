#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/json/reader.h"
#include "sim/scenario/catalogue.h"
#include "sim/scenario/scenario.h"

namespace tradewind::scenario {

/// Strict: an unknown key, a wrong type or an absurd number is an InputError with file and pointer.
/// A plan that can't run is no error here (see infeasible_reason).
Scenario read_scenario(const json::Node& node, Catalogue& catalogue);

/// The scenario as resolved, every default filled in, in the form `read_scenario` takes.
nlohmann::ordered_json to_json(const Scenario& scenario);

/// Sets the member at a dotted path, making objects on the way. The shorthands that stand for an
/// object ("model": NAME, "cluster": NAME, "overlap": NAME, "scheduler": NAME) open into it.
/// `origin` names the writer in errors (`--set`, an axis).
void set_path(nlohmann::json& document, const std::string& dotted_path, nlohmann::json value,
              const std::string& origin);

}  // namespace tradewind::scenario
