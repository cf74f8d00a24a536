#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/report/labels.h"
#include "sim/report/number_text.h"
#include "sim/report/ranking.h"
#include "sim/report/table.h"

namespace tradewind::report {
namespace {

constexpr std::size_t kNarrowestPlan = 28;
constexpr std::size_t kMostRows = 3;     ///< of one goal
constexpr std::size_t kMostReasons = 5;  ///< infeasible plans shown

using Text = std::string (*)(const study::Point& point);
struct Column {
  const char* title;
  std::size_t width;
  Text text;
};

template <std::optional<double> workload::Metrics::*member>
std::string metric_text(const study::Point& point) {
  return short_number(point.result.metrics.*member);
}

std::string batch_text(const study::Point& point) {
  const std::optional<int> batch = batch_of(point.scenario);
  return batch ? grouped(*batch) : "-";
}

std::string makespan_text(const study::Point& point) {
  const workload::Metrics& metrics = point.result.metrics;
  return metrics.ttft_ms ? "-" : short_number(metrics.makespan_ms);
}

std::string exposed_text(const study::Point& point) {
  const std::optional<double>& share = point.result.metrics.exposed_communication_fraction;
  return share ? percent(*share) : "-";
}

std::string rate_text(const study::Point& point) {
  return short_number(tokens_per_s_per_device(point.result.metrics));
}

/// What training is compared by, and nothing else.
template <std::optional<double> workload::Metrics::*member>
std::string training_share_text(const study::Point& point) {
  const bool trains = std::holds_alternative<scenario::Training>(point.scenario.workload);
  const std::optional<double>& share = point.result.metrics.*member;
  return trains && share ? percent(*share) : "-";
}

/// Share of the fullest device's capacity.
std::string memory_text(const study::Point& point) {
  if (!point.result.memory) return "-";
  const scenario::MemoryUse& use = point.result.memory->fullest_stage();
  return percent(use.used_bytes() / use.capacity_bytes);
}

constexpr Column kColumns[] = {
    {"batch", 7, batch_text},
    {"makespan ms", 13, makespan_text},
    {"TTFT ms", 10, metric_text<&workload::Metrics::ttft_ms>},
    {"TPOT ms", 10, metric_text<&workload::Metrics::tpot_ms>},
    {"tok/s/device", 14, rate_text},
    {"tok/s/user", 12, metric_text<&workload::Metrics::output_tokens_per_s_per_user>},
    {"MFU", 9, training_share_text<&workload::Metrics::mfu>},
    {"bubble", 9, training_share_text<&workload::Metrics::bubble_fraction>},
    {"exposed", 9, exposed_text},
    {"memory", 8, memory_text}};

/// The columns that say something, and the plan's width beside them: as wide as the longest plan
/// needs, at the cost of the last columns when the names are long.
struct Layout {
  explicit Layout(const study::SweepResults& results) {
    std::size_t used = 2;
    for (const Column& column : kColumns) {
      const bool known =
          std::any_of(results.points.begin(), results.points.end(), [&](const study::Point& point) {
            return point.result.feasible && column.text(point) != "-";
          });
      if (known) columns.push_back(column), used += column.width;
    }
    for (const study::Point& point : results.points) {
      plan_width = std::max(plan_width, column_count(family_label(results, point)));
    }
    constexpr std::size_t kFewestColumns = 4;
    while (used + plan_width > kTableWidth && columns.size() > kFewestColumns) {
      used -= columns.back().width;
      columns.pop_back();
    }
    plan_width = std::min(plan_width, kTableWidth - used);
  }

  std::string line(std::string_view plan, const auto& text_of) const {
    std::string text = "  " + left_aligned(plan, plan_width);
    for (const Column& column : columns) text += right_aligned(text_of(column), column.width);
    return text += '\n';
  }

  std::vector<Column> columns;
  std::size_t plan_width = kNarrowestPlan;
};

void append_goal(std::string& text, const study::SweepResults& results, const Layout& layout,
                 Goal goal, std::string_view title) {
  const std::vector<std::size_t> order = ranked(results.points, goal);
  if (order.empty()) return;
  text += fmt::format("{}\n", title);
  for (std::size_t i = 0; i < std::min(order.size(), kMostRows); ++i) {
    const study::Point& point = results.points[order[i]];
    text += layout.line(family_label(results, point),
                        [&](const Column& column) { return column.text(point); });
  }
}

/// The first reason of each plan.
void append_infeasible(std::string& text, const study::SweepResults& results) {
  std::set<std::string> families;
  for (const study::Point& point : results.points) {
    if (point.result.feasible || families.size() > kMostReasons) continue;
    const std::string family = family_label(results, point);
    if (!families.insert(family).second) continue;
    if (families.size() == 1) text += "Infeasible (the first point of each plan)\n";
    if (families.size() > kMostReasons) {
      text += "  and others: see results.csv\n";
      continue;
    }
    std::string line = left_aligned(
        fmt::format("{}, batch {}: {}", family, batch_text(point), point.result.reason),
        kTableWidth - 2);
    line.erase(line.find_last_not_of(' ') + 1);
    text += fmt::format("  {}\n", line);
  }
}

}  // namespace

std::string sweep_table(const study::SweepResults& results) {
  const auto feasible = std::count_if(results.points.begin(), results.points.end(),
                                      [](const study::Point& p) { return p.result.feasible; });
  std::string text =
      fmt::format("{}{} points, {} feasible\n", results.name.empty() ? "" : results.name + ": ",
                  grouped(static_cast<std::int64_t>(results.points.size())), grouped(feasible));
  const Layout layout(results);
  if (feasible > 0) {
    text += layout.line("plan", [](const Column& column) { return std::string(column.title); });
  }
  const std::string_view latency = latency_metric(results.points).label;
  append_goal(text, results, layout, Goal::latency,
              fmt::format("Best for latency (lowest {})", latency));
  append_goal(text, results, layout, Goal::throughput,
              "Best for throughput (most tokens/s/device)");
  append_goal(text, results, layout, Goal::between,
              "Best in between (largest product of tokens/s/device and tokens/s/user)");
  append_infeasible(text, results);
  return text;
}

}  // namespace tradewind::report
