#pragma once

#include <string_view>

namespace tradewind::report {

/// Files that travel inside the program; cmake/embed.cmake writes their definitions.

/// Chart.js, minified, with its licence line.
std::string_view chart_js();

}  // namespace tradewind::report
