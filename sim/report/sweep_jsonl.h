#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/study/sweep.h"

namespace tradewind::report {

/// One line of results.jsonl: `{"axes": {path: value, ...}, ...}`, then the members of
/// `result_json`.
void append_jsonl_line(std::string& text, const std::vector<std::string>& axes,
                       const study::Point& point, std::string_view version);

/// One line a point.
std::string sweep_jsonl(const study::SweepResults& results, std::string_view version);

}  // namespace tradewind::report
