#include "sim/report/ranking.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tradewind::report {

using workload::Metrics;

LatencyMetric latency_metric(const std::vector<study::Point>& points) {
  static constexpr LatencyMetric kChoices[] = {{"TPOT", &Metrics::tpot_ms},
                                               {"TTFT", &Metrics::ttft_ms},
                                               {"makespan", &Metrics::makespan_ms}};
  for (const LatencyMetric& choice : kChoices) {
    for (const study::Point& point : points) {
      if (point.result.feasible && (point.result.metrics.*choice.member)) return choice;
    }
  }
  return kChoices[0];
}

std::optional<double> tokens_per_s_per_device(const Metrics& metrics) {
  return metrics.output_tokens_per_s_per_device ? metrics.output_tokens_per_s_per_device
                                                : metrics.total_tokens_per_s_per_device;
}

std::vector<std::size_t> ranked(const std::vector<study::Point>& points, Goal goal) {
  struct Entry {
    double badness, ttft_ms;
    std::size_t index;
  };
  const LatencyMetric latency = latency_metric(points);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].result.feasible) continue;
    const Metrics& metrics = points[i].result.metrics;
    const std::optional<double> per_device = tokens_per_s_per_device(metrics);
    const std::optional<double>& per_user = metrics.output_tokens_per_s_per_user;
    std::optional<double> badness;
    if (goal == Goal::latency) badness = metrics.*latency.member;
    if (goal == Goal::throughput && per_device) badness = -*per_device;
    if (goal == Goal::between && per_device && per_user) badness = -*per_device * *per_user;
    const double ttft_ms = metrics.ttft_ms.value_or(std::numeric_limits<double>::infinity());
    if (badness) entries.push_back({*badness, ttft_ms, i});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.badness, a.ttft_ms, a.index) < std::tie(b.badness, b.ttft_ms, b.index);
  });
  std::vector<std::size_t> indices;
  indices.reserve(entries.size());
  for (const Entry& entry : entries) indices.push_back(entry.index);
  return indices;
}

}  // namespace tradewind::report
