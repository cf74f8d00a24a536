#include "sim/report/pareto.h"

#include <algorithm>
#include <tuple>

namespace tradewind::report {

std::vector<std::size_t> pareto_front(const std::vector<study::Point>& points) {
  struct Candidate {
    double per_user, per_device;
    std::size_t index;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const workload::Metrics& metrics = points[i].result.metrics;
    if (!points[i].result.feasible || !metrics.output_tokens_per_s_per_user ||
        !metrics.output_tokens_per_s_per_device) {
      continue;
    }
    candidates.push_back(
        {*metrics.output_tokens_per_s_per_user, *metrics.output_tokens_per_s_per_device, i});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(b.per_user, b.per_device, a.index) <
           std::tie(a.per_user, a.per_device, b.index);
  });
  std::vector<std::size_t> front;
  double best_per_device = -1;
  for (const Candidate& candidate : candidates) {
    if (candidate.per_device <= best_per_device) continue;
    best_per_device = candidate.per_device;
    front.push_back(candidate.index);
  }
  std::reverse(front.begin(), front.end());
  return front;
}

}  // namespace tradewind::report
