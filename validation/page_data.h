#pragma once

#include <string>

#include "validation/validation.h"

namespace tradewind::validation {

/// What the script of validation.html draws, as JSON that may stand in an HTML <script>: `metrics`
/// and `groups` (names), and `figures`: [{ `id`, `group`, `metric` (indices), `split`, `measured`,
/// `simulated` (or null), `error`, `feasible`, `plan` (text), `batch`, `context`, `tp`, `pp` }] of
/// every figure of a trace, in order.
std::string validation_page_data(const Validation& validation);

}  // namespace tradewind::validation
