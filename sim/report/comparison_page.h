#pragma once

#include <string>

#include "sim/report/html.h"
#include "sim/study/comparison.h"

namespace tradewind::report {

/// Strategies side by side as a fragment of HTML: what is compared, the table, remarks, and the
/// timeline of one layer on two ranks by strategy.
std::string comparison_section(const study::Comparison& comparison);

/// The same as a page that needs no other file, no network and no JavaScript.
std::string comparison_page(const study::Comparison& comparison, const ReportOrigin& origin);

}  // namespace tradewind::report
