#include <fmt/format.h>

#include <algorithm>

#include "sim/report/labels.h"
#include "sim/report/number_text.h"
#include "sim/report/ranking.h"
#include "sim/report/table.h"

namespace tradewind::report {
namespace {

constexpr std::size_t kPlanWidth = 27;
constexpr std::size_t kMostRows = 3;     ///< of one goal
constexpr std::size_t kMostReasons = 5;  ///< infeasible points shown

void append_row(std::string& text, std::string_view plan, const std::vector<std::string>& cells) {
  static constexpr std::size_t kWidths[] = {7, 10, 10, 14, 12, 9, 9};
  text += "  " + left_aligned(plan, kPlanWidth);
  for (std::size_t i = 0; i < cells.size(); ++i) text += right_aligned(cells[i], kWidths[i]);
  text += '\n';
}

std::string batch_text(const study::Point& point) {
  const std::optional<int> batch = batch_of(point.scenario);
  return batch ? grouped(*batch) : "-";
}

/// Share of the fullest device's capacity.
std::string memory_text(const study::Point& point) {
  if (!point.result.memory) return "-";
  const scenario::MemoryUse& use = point.result.memory->fullest_stage();
  return percent(use.used_bytes() / use.capacity_bytes);
}

void append_point(std::string& text, const study::SweepResults& results,
                  const study::Point& point) {
  const workload::Metrics& metrics = point.result.metrics;
  const std::optional<double>& exposed = metrics.exposed_communication_fraction;
  append_row(text, family_label(results, point),
             {batch_text(point), short_number(metrics.ttft_ms), short_number(metrics.tpot_ms),
              short_number(metrics.output_tokens_per_s_per_device),
              short_number(metrics.output_tokens_per_s_per_user), exposed ? percent(*exposed) : "-",
              memory_text(point)});
}

void append_goal(std::string& text, const study::SweepResults& results, Goal goal,
                 std::string_view title) {
  const std::vector<std::size_t> order = ranked(results.points, goal);
  if (order.empty()) return;
  text += fmt::format("{}\n", title);
  for (std::size_t i = 0; i < std::min(order.size(), kMostRows); ++i) {
    append_point(text, results, results.points[order[i]]);
  }
}

void append_infeasible(std::string& text, const study::SweepResults& results) {
  std::size_t count = 0;
  for (const study::Point& point : results.points) {
    if (point.result.feasible) continue;
    if (++count > kMostReasons) continue;
    if (count == 1) text += "Infeasible\n";
    const std::string line = fmt::format("{}, batch {}: {}", family_label(results, point),
                                         batch_text(point), point.result.reason);
    std::string cut = left_aligned(line, kTableWidth - 2);
    cut.erase(cut.find_last_not_of(' ') + 1);
    text += fmt::format("  {}\n", cut);
  }
  if (count > kMostReasons)
    text +=
        fmt::format("  and {} more\n", grouped(static_cast<std::int64_t>(count - kMostReasons)));
}

}  // namespace

std::string sweep_table(const study::SweepResults& results) {
  const auto feasible = std::count_if(results.points.begin(), results.points.end(),
                                      [](const study::Point& p) { return p.result.feasible; });
  std::string text =
      fmt::format("{}{} points, {} feasible\n", results.name.empty() ? "" : results.name + ": ",
                  grouped(static_cast<std::int64_t>(results.points.size())), grouped(feasible));
  if (feasible > 0) {
    append_row(text, "plan",
               {"batch", "TTFT ms", "TPOT ms", "tok/s/device", "tok/s/user", "exposed", "memory"});
  }
  const std::string latency(latency_metric(results.points).label);
  append_goal(text, results, Goal::latency, fmt::format("Best for latency (lowest {})", latency));
  append_goal(text, results, Goal::throughput, "Best for throughput (most tokens/s/device)");
  append_goal(text, results, Goal::between,
              "Best in between (largest product of tokens/s/device and tokens/s/user)");
  append_infeasible(text, results);
  return text;
}

}  // namespace tradewind::report
