#include "sim/report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/report/labels.h"
#include "sim/report/number_text.h"
#include "sim/report/time_groups.h"

namespace tradewind::report {
namespace {

using study::Point;
using study::SweepResults;
using workload::Metrics;

/// Parts of the makespan below this are left out of a sentence.
constexpr double kWorthSaying = 0.005;

std::string point_label(const SweepResults& results, const Point& point) {
  std::string label = family_label(results, point);
  if (const auto batch = batch_of(point.scenario)) {
    label += fmt::format(", batch {}", grouped(*batch));
  }
  return label;
}

std::vector<std::pair<std::string, std::string>> figures(const Point& point) {
  const Metrics& metrics = point.result.metrics;
  std::vector<std::pair<std::string, std::string>> known;
  const auto add = [&](const char* name, const std::optional<double>& value, const char* unit) {
    if (value) known.emplace_back(name, short_number(*value) + unit);
  };
  add("TTFT", metrics.ttft_ms, " ms");
  add("TPOT", metrics.tpot_ms, " ms");
  if (known.empty()) add("makespan", metrics.makespan_ms, " ms");
  add("tokens/s/device", tokens_per_s_per_device(metrics), "");
  add("tokens/s/user", metrics.output_tokens_per_s_per_user, "");
  if (std::holds_alternative<scenario::Training>(point.scenario.workload) && metrics.mfu) {
    known.emplace_back("MFU", percent(*metrics.mfu));
  }
  return known;
}

/// "61.2 % compute, 31.0 % exposed communication", of the makespan.
std::string time_text(const Point& point) {
  const auto groups = time_groups(point.result);
  double total = 0;
  for (const double ms : groups) total += ms;
  std::string text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!(groups[i] > kWorthSaying * total)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", percent(groups[i] / total),
                        kTimeGroupNames[i]);
  }
  return text;
}

struct Comparison {
  std::string_view title;
  std::string_view measure;  ///< completes "1.3 times its ..."
  double (*value)(const Metrics& metrics, const LatencyMetric& latency);
};

Comparison comparison(Goal goal, const LatencyMetric& latency) {
  switch (goal) {
    case Goal::latency:
      return {"Lowest latency", latency.label,
              [](const Metrics& m, const LatencyMetric& l) { return (m.*l.member).value_or(0); }};
    case Goal::throughput:
      return {"Highest throughput", "tokens/s/device", [](const Metrics& m, const LatencyMetric&) {
                return tokens_per_s_per_device(m).value_or(0);
              }};
    case Goal::between:
      break;
  }
  return {"In between", "product of the two rates", [](const Metrics& m, const LatencyMetric&) {
            return m.output_tokens_per_s_per_device.value_or(0) *
                   m.output_tokens_per_s_per_user.value_or(0);
          }};
}

std::string why(const SweepResults& results, const std::vector<std::size_t>& order,
                const Comparison& by, const LatencyMetric& latency) {
  const Point& best = results.points[order.front()];
  std::string text;
  const std::string time = time_text(best);
  if (!time.empty()) text = fmt::format("Its makespan is {}.", time);
  const std::string family = family_label(results, best);
  const auto next = std::find_if(order.begin(), order.end(), [&](std::size_t index) {
    return family_label(results, results.points[index]) != family;
  });
  if (next == order.end()) return text;
  const Point& rival = results.points[*next];
  const double ratio =
      by.value(rival.result.metrics, latency) / by.value(best.result.metrics, latency);
  text += fmt::format(" The next plan, {}, has {:.2f} times its {}", point_label(results, rival),
                      ratio, by.measure);
  const std::string rival_time = time_text(rival);
  return text + (rival_time.empty() ? "." : fmt::format(" ({}).", rival_time));
}

}  // namespace

std::vector<Finding> findings(const SweepResults& results) {
  const LatencyMetric latency = latency_metric(results.points);
  std::vector<Finding> found;
  for (const Goal goal : {Goal::latency, Goal::throughput, Goal::between}) {
    const std::vector<std::size_t> order = ranked(results.points, goal);
    if (order.empty()) continue;
    const Comparison by = comparison(goal, latency);
    const Point& best = results.points[order.front()];
    found.push_back({goal, order.front(), std::string(by.title), point_label(results, best),
                     figures(best), why(results, order, by, latency)});
  }
  return found;
}

std::string feasibility_text(const SweepResults& results) {
  const auto infeasible = [](const Point& point) { return !point.result.feasible; };
  const auto count = std::count_if(results.points.begin(), results.points.end(), infeasible);
  const auto all = static_cast<std::int64_t>(results.points.size());
  if (count == 0) return fmt::format("All {} points are feasible.", grouped(all));
  const auto first = std::find_if(results.points.begin(), results.points.end(), infeasible);
  return fmt::format("{} of {} points are feasible. The first that is not: {}: {}.",
                     grouped(all - count), grouped(all), point_label(results, *first),
                     first->result.reason);
}

std::string provenance_text(const SweepResults& results) {
  std::array<double, kProvenanceCount> sums{};
  double total = 0;
  for (const Point& point : results.points) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += point.result.provenance_ms[i];
      total += point.result.provenance_ms[i];
    }
  }
  std::string text;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] <= 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", percent(sums[i] / total),
                        kProvenanceNames[i]);
  }
  return text;
}

}  // namespace tradewind::report
