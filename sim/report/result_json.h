#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sim/json/reader.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::report {

/// The object of interface.md, "Result of run", as compact JSON text: `scenario` as resolved,
/// `feasible`, `reason`, `memory` (every key, null when not known; besides, each stage), `metrics`
/// (every name), `breakdown`, `communication` (each collective: in flight, and exposed by it),
/// `notes` (about what the plan asks for), `provenance_ms` (device time by what it stands on) and
/// `simulator`.
/// Numbers read back to the same bits; what is absent or not applicable is null. `wall_s` is how
/// long the simulator itself took, for `--stats`.
std::string result_text(const scenario::Scenario& scenario, const workload::Result& result,
                        std::string_view version, std::optional<double> wall_s = std::nullopt);

/// The same as a value.
nlohmann::ordered_json result_json(const scenario::Scenario& scenario,
                                   const workload::Result& result, std::string_view version,
                                   std::optional<double> wall_s = std::nullopt);

/// The result inside such an object, exactly as it was. Throws InputError.
workload::Result result_from_json(const json::Node& node);

}  // namespace tradewind::report
