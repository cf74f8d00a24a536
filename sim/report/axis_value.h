#pragma once

#include <string>

namespace tradewind::report {

/// A value of an axis (JSON text) as people write it: a string without its quotes, null as
/// nothing, anything else as it is.
std::string axis_value_text(const std::string& json_text);

}  // namespace tradewind::report
