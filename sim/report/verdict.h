#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/report/ranking.h"
#include "sim/study/sweep.h"

namespace tradewind::report {

/// The best point for one goal, in words.
struct Finding {
  Goal goal;
  std::size_t point;                                         ///< index in the sweep
  std::string title;                                         ///< "Lowest latency"
  std::string plan;                                          ///< "TP8 PP1 DP1, batch 1"
  std::vector<std::pair<std::string, std::string>> figures;  ///< name, value with unit
  /// One sentence or two: what its time is spent on, and the next plan by comparison.
  std::string why;
};

/// At most one finding a goal; none for a goal that no feasible point can be ranked by.
std::vector<Finding> findings(const study::SweepResults& results);

/// "96 of 128 points are feasible; ...": how many and why the first of the others is not.
std::string feasibility_text(const study::SweepResults& results);

/// "83.1 % fitted, 16.9 % datasheet", of the device time of all points together; empty when none.
std::string provenance_text(const study::SweepResults& results);

}  // namespace tradewind::report
