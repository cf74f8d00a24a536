#pragma once

#include <string>

#include "sim/study/search.h"

namespace tradewind::report {

/// A search for people: each plan at its largest rate, the most requests/s first, those of the
/// Pareto front (pareto.h) marked, the plans that keep no rate with their reason; then the best.
std::string search_table(const study::Search& search, const study::SweepResults& results);

}  // namespace tradewind::report
