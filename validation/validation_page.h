#pragma once

#include <string>

#include "sim/report/html.h"
#include "validation/validation.h"

namespace tradewind::validation {

/// The validation as one HTML page that needs no other file and no network: simulated against
/// measured with the 10 % and 20 % bands, the error by batch, context, tp and pp, the groups, the
/// farthest points with their breakdown and what it stands on, and what was skipped. `changes` is
/// what the gate said (gate_text), or empty.
std::string validation_page(const Validation& validation, const std::string& changes,
                            const report::ReportOrigin& origin);

}  // namespace tradewind::validation
