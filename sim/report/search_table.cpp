#include "sim/report/search_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "sim/report/labels.h"
#include "sim/report/number_text.h"
#include "sim/report/pareto.h"

namespace tradewind::report {
namespace {

double rate_of(const study::Point& point) {
  return std::get<scenario::Serving>(point.scenario.workload).arrival.requests_per_s;
}

std::string level_text(const scenario::ServiceLevel& level) {
  std::string text;
  const auto add = [&](std::string_view name, const std::optional<double>& ms) {
    if (!ms) return;
    text += fmt::format("{}{} at most {} ms", text.empty() ? "" : ", ", name, short_number(*ms));
  };
  add("TTFT", level.ttft_ms);
  add("TPOT", level.tpot_ms);
  add("end to end", level.e2e_latency_ms);
  return text;
}

/// Points by falling rate, infeasible ones last; else in grid order.
std::vector<std::size_t> by_rate(const std::vector<study::Point>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    return points[i].result.feasible ? rate_of(points[i]) : -1;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return order;
}

std::string row(const study::Point& point, const std::string& label, bool on_front) {
  const workload::Metrics& metrics = point.result.metrics;
  const double rate = rate_of(point);
  return fmt::format("{} {:<34} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", on_front ? '*' : ' ',
                     label, short_number(rate), short_number(rate / point.scenario.plan.devices()),
                     short_number(metrics.ttft_ms_p99), short_number(metrics.tpot_ms_p99),
                     short_number(metrics.output_tokens_per_s_per_device),
                     short_number(metrics.output_tokens_per_s_per_user));
}

}  // namespace

std::string search_table(const study::Search& search, const study::SweepResults& results) {
  const std::vector<study::Point>& points = results.points;
  if (points.empty()) return "no plan uses the devices that were asked for\n";
  const std::vector<std::size_t> front = pareto_front(points);
  const std::set<std::size_t> on_front(front.begin(), front.end());
  const auto& serving = std::get<scenario::Serving>(points.front().scenario.workload);
  const auto label = [&](const study::Point& point) {
    return family_label(results, point, results.axes.back());
  };
  std::string text = fmt::format(
      "{}\nlargest rate at which {:.4g} % of the requests keep: {}\n\n"
      "  {:<34} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n  {:<34} {:>10} {:>10} {:>10} {:>10} "
      "{:>10} {:>10}\n",
      results.name, 100 * search.rate.attainment, level_text(serving.slo), "plan", "requests/s",
      "a device", "TTFT p99", "TPOT p99", "tok/s", "tok/s", "", "", "", "ms", "ms", "a device",
      "a user");
  for (const std::size_t i : by_rate(points)) {
    const study::Point& point = points[i];
    text += point.result.feasible ? row(point, label(point), on_front.contains(i))
                                  : fmt::format("  {:<34} {}\n", label(point), point.result.reason);
  }
  text += "\n* on the Pareto front of tokens/s a device and a user\n";
  const std::optional<std::size_t> best = study::best_goodput(points);
  if (!best) return text + "no plan keeps the service level\n";
  return text + fmt::format("best plan: {} at {} requests/s\n", label(points[*best]),
                            short_number(rate_of(points[*best])));
}

}  // namespace tradewind::report
