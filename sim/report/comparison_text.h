#pragma once

#include <string>
#include <string_view>

#include "sim/study/comparison.h"

namespace tradewind::report {

/// Strategies side by side for people: latencies, exposed communication, what each saves, what
/// limits it, and where the time of a pass beyond its unsliced computation goes.
std::string comparison_table(const study::Comparison& comparison);

/// { "strategies": [ { "strategy", "result" (interface.md), "latency_reduction",
/// "exposed_reduction", "limit", "limits": [ { "phase", "limit", "computation_ms", "beyond_ms": {
/// name: ms } } ] } ] } as compact text. `limit` is that of the first pass (prefill, or the block);
/// null where nothing was simulated or nothing lies beyond the computation.
std::string comparison_json(const study::Comparison& comparison, std::string_view version);

/// One row of figures, a cell for each strategy.
struct ComparisonRow {
  std::string title;  ///< with its unit; starts a group where `cells` is empty
  std::vector<std::string> cells;
};

/// The rows of the table, for other layouts.
std::vector<ComparisonRow> comparison_rows(const study::Comparison& comparison);

/// "slicing: note ..." and "flash: infeasible: ...": what a reader of the figures must know.
std::vector<std::string> comparison_remarks(const study::Comparison& comparison);

}  // namespace tradewind::report
