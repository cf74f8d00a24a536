#pragma once

#include <string>

#include "sim/study/sweep.h"

namespace tradewind::report {

/// What a report says about its own making.
struct ReportOrigin {
  std::string version;       ///< of tradewind
  std::string command_line;  ///< as typed
};

/// The sweep as one HTML page that needs no other file and no network: verdict, Pareto front,
/// latency against batch, breakdown, TP x PP table, memory, every point (a long sweep: the first
/// 2,000), provenance. The data stands in it once, as JSON.
std::string html_report(const study::SweepResults& results, const ReportOrigin& origin);

}  // namespace tradewind::report
