#include "sim/report/serving_curves.h"

#include <algorithm>
#include <cmath>

namespace tradewind::report {
namespace {

using workload::RequestOutcome;
using workload::ServingOutcome;

constexpr std::size_t kMostPoints = 400;

double end_of(const ServingOutcome& outcome) {
  double end_s = 0;
  for (const RequestOutcome& request : outcome.requests) {
    if (!request.rejected) end_s = std::max(end_s, request.last_token.seconds());
  }
  return end_s;
}

/// Equal pieces from 0 to the end.
class Pieces {
 public:
  explicit Pieces(double end_s) : width_s_(end_s / kMostPoints) {}
  double width_s() const { return width_s_; }
  std::size_t of(double time_s) const {
    if (width_s_ <= 0) return 0;
    const double piece = std::clamp(time_s / width_s_, 0.0, kMostPoints - 1.0);
    return static_cast<std::size_t>(piece);
  }
  /// Spreads `amount` evenly from `begin_s` to `end_s`.
  void spread(std::vector<double>& curve, double begin_s, double end_s, double amount) const {
    const std::size_t first = of(begin_s), last = of(end_s);
    if (first == last || end_s <= begin_s) {
      curve[last] += amount;
      return;
    }
    for (std::size_t piece = first; piece <= last; ++piece) {
      const double from = std::max(begin_s, static_cast<double>(piece) * width_s_);
      const double to = std::min(end_s, static_cast<double>(piece + 1) * width_s_);
      curve[piece] += amount * std::max(0.0, to - from) / (end_s - begin_s);
    }
  }

 private:
  double width_s_;
};

/// The mean of what steps showed of one replica in each piece; where there was none, what the piece
/// before showed.
struct Seen {
  explicit Seen(std::size_t replicas) : sums(replicas, std::vector<double>(kMostPoints)) {}
  std::vector<std::vector<double>> sums;

  void add(std::size_t replica, std::size_t piece, double value) { sums[replica][piece] += value; }
  std::vector<double> total(const std::vector<std::vector<double>>& counts) const {
    std::vector<double> all(kMostPoints);
    for (std::size_t r = 0; r < sums.size(); ++r) {
      double last = 0;
      for (std::size_t piece = 0; piece < kMostPoints; ++piece) {
        if (counts[r][piece] > 0) last = sums[r][piece] / counts[r][piece];
        all[piece] += last;
      }
    }
    return all;
  }
};

void add_queues(TimeCurves& curves, const ServingOutcome& outcome, const Pieces& pieces) {
  std::size_t replicas = static_cast<std::size_t>(std::max(outcome.replicas, 1));
  for (const workload::StepSample& step : outcome.steps.kept) {
    replicas = std::max(replicas, static_cast<std::size_t>(step.replica) + 1);
  }
  Seen running(replicas), waiting(replicas), used(replicas), counts(replicas);
  for (const workload::StepSample& step : outcome.steps.kept) {
    const auto replica = static_cast<std::size_t>(step.replica);
    const std::size_t piece = pieces.of(step.start.seconds());
    running.add(replica, piece, step.running);
    waiting.add(replica, piece, step.waiting);
    used.add(replica, piece, static_cast<double>(step.used_blocks));
    counts.add(replica, piece, 1);
  }
  curves.running = running.total(counts.sums);
  curves.waiting = waiting.total(counts.sums);
  if (outcome.capacity_blocks <= 0) return;
  curves.cache_share = used.total(counts.sums);
  const double capacity =
      static_cast<double>(outcome.capacity_blocks) * static_cast<double>(replicas);
  for (double& share : curves.cache_share) share /= capacity;
}

}  // namespace

Distribution distribution_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Distribution distribution;
  const std::size_t count = values.size();
  const std::size_t points = std::min(count, kMostPoints);
  for (std::size_t i = 1; i <= points; ++i) {
    const std::size_t rank = i * count / points;  // from 1; the last is the largest
    distribution.value.push_back(values[rank - 1]);
    distribution.share.push_back(static_cast<double>(rank) / static_cast<double>(count));
  }
  return distribution;
}

Latencies latencies_of(const ServingOutcome& outcome) {
  std::vector<double> ttft, tpot, e2e;
  for (const RequestOutcome& request : outcome.requests) {
    if (request.rejected) continue;
    ttft.push_back(request.ttft().milliseconds());
    e2e.push_back(request.e2e_latency().milliseconds());
    if (request.output_tokens > 1) tpot.push_back(1e3 * request.tpot_s());
  }
  return {distribution_of(std::move(ttft)), distribution_of(std::move(tpot)),
          distribution_of(std::move(e2e))};
}

TimeCurves time_curves(const ServingOutcome& outcome) {
  const Pieces pieces(end_of(outcome));
  TimeCurves curves;
  curves.output_tokens_per_s.resize(kMostPoints);
  curves.requests_per_s.resize(kMostPoints);
  if (pieces.width_s() <= 0) return {};
  for (std::size_t piece = 1; piece <= kMostPoints; ++piece) {
    curves.end_s.push_back(static_cast<double>(piece) * pieces.width_s());
  }
  add_queues(curves, outcome, pieces);
  for (const RequestOutcome& request : outcome.requests) {
    if (request.rejected) continue;
    const double first_s = request.first_token.seconds(), last_s = request.last_token.seconds();
    curves.output_tokens_per_s[pieces.of(first_s)] += 1;
    pieces.spread(curves.output_tokens_per_s, first_s, last_s, request.output_tokens - 1);
    curves.requests_per_s[pieces.of(last_s)] += 1;
  }
  for (double& rate : curves.output_tokens_per_s) rate /= pieces.width_s();
  for (double& rate : curves.requests_per_s) rate /= pieces.width_s();
  return curves;
}

}  // namespace tradewind::report
