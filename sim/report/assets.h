#pragma once

#include <string_view>

namespace tradewind::report {

/// Files that travel inside the program; cmake/embed.cmake writes their definitions.

/// Chart.js, minified, with its licence line.
std::string_view chart_js();

/// The pages and the parts of report.html, from the folder assets/.
std::string_view frame_html();
std::string_view scripts_html();
std::string_view outcome_html();
std::string_view page_html();
std::string_view serving_html();
std::string_view report_css();
std::string_view data_js();
std::string_view charts_js();
std::string_view controls_js();
std::string_view pivot_js();
std::string_view points_js();
std::string_view serving_js();

}  // namespace tradewind::report
