#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "validation/validation.h"

namespace tradewind::validation {

/// Points outside their tolerance, farthest first (those that the simulator calls infeasible lead).
std::vector<const PointError*> outside_tolerance(std::span<const PointError> errors);

/// The notes, then the errors by group, over all groups of traces together, the points farthest
/// outside their tolerance, and how many were skipped and why: text for people.
std::string validation_text(const Validation& validation);

/// error_json() of everything, `skipped`: [{ `id`, `reason` }], and `notes`: [text].
nlohmann::ordered_json validation_json(const Validation& validation, bool passed);

}  // namespace tradewind::validation
