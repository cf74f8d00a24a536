#include "sim/workload/serving/serving_metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tradewind::workload {
namespace {

struct Percentiles {
  std::optional<double> Metrics::*p50;
  std::optional<double> Metrics::*p90;
  std::optional<double> Metrics::*p99;
};

/// Of values whose order does not matter.
double percentile(std::vector<double>& values, double share) {
  const double rank = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), values.begin() + below, values.end());
  const double low = values[static_cast<std::size_t>(below)];
  const double rest = rank - static_cast<double>(below);
  if (rest == 0) return low;
  return low + rest * (*std::min_element(values.begin() + below + 1, values.end()) - low);
}

void report(Metrics& metrics, std::vector<double>& values, const Percentiles& names) {
  if (values.empty()) return;
  metrics.*names.p50 = percentile(values, 0.5);
  metrics.*names.p90 = percentile(values, 0.9);
  metrics.*names.p99 = percentile(values, 0.99);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void report_gaps(Metrics& metrics, const TokenGaps& gaps) {
  if (gaps.empty()) return;
  metrics.itl_ms_p50 = gaps.percentile_ms(0.5);
  metrics.itl_ms_p90 = gaps.percentile_ms(0.9);
  metrics.itl_ms_p99 = gaps.percentile_ms(0.99);
}

bool is_good(const RequestOutcome& request, const scenario::ServiceLevel& slo) {
  if (slo.ttft_ms && request.ttft().milliseconds() > *slo.ttft_ms) return false;
  if (slo.e2e_latency_ms && request.e2e_latency().milliseconds() > *slo.e2e_latency_ms) {
    return false;
  }
  return !slo.tpot_ms || request.output_tokens < 2 || 1e3 * request.tpot_s() <= *slo.tpot_ms;
}

/// Columns of all requests that were served.
struct Served {
  std::vector<double> ttft_ms, tpot_ms, e2e_ms, queue_ms;
  double input_tokens = 0, output_tokens = 0, cached_tokens = 0;
  std::int64_t good = 0, preemptions = 0, rejected = 0;
  Time first = Time::max(), last;
};

Served served(const std::vector<RequestOutcome>& requests, const scenario::ServiceLevel& slo) {
  Served all;
  for (std::vector<double>* column : {&all.ttft_ms, &all.tpot_ms, &all.e2e_ms, &all.queue_ms}) {
    column->reserve(requests.size());
  }
  for (const RequestOutcome& request : requests) {
    if (request.rejected) {
      ++all.rejected;
      continue;
    }
    all.ttft_ms.push_back(request.ttft().milliseconds());
    all.e2e_ms.push_back(request.e2e_latency().milliseconds());
    all.queue_ms.push_back((request.admitted - request.arrival).milliseconds());
    if (request.output_tokens > 1) all.tpot_ms.push_back(1e3 * request.tpot_s());
    all.input_tokens += request.input_tokens;
    all.output_tokens += request.output_tokens;
    all.cached_tokens += request.cached_tokens;
    all.preemptions += request.preemptions;
    if (is_good(request, slo)) ++all.good;
    all.first = std::min(all.first, request.arrival);
    all.last = std::max(all.last, request.last_token);
  }
  return all;
}

void report_rates(Metrics& metrics, const scenario::Scenario& scenario, const Served& all) {
  const double makespan_s = (all.last - all.first).seconds();
  const double devices = scenario.plan.devices();
  metrics.makespan_ms = 1e3 * makespan_s;
  metrics.output_tokens_per_s = all.output_tokens / makespan_s;
  metrics.total_tokens_per_s = (all.input_tokens + all.output_tokens) / makespan_s;
  metrics.output_tokens_per_s_per_device = *metrics.output_tokens_per_s / devices;
  metrics.total_tokens_per_s_per_device = *metrics.total_tokens_per_s / devices;
  metrics.requests_per_s = static_cast<double>(all.e2e_ms.size()) / makespan_s;
  const double listed = scenario.cluster->accelerator().price_usd_per_hour;
  const double price =
      scenario.price_usd_per_device_hour > 0 ? scenario.price_usd_per_device_hour : listed;
  if (price > 0) {
    metrics.cost_per_million_output_tokens_usd =
        price * devices / 3600 / *metrics.output_tokens_per_s * 1e6;
  }
}

}  // namespace

void report_requests(Metrics& metrics, const scenario::Scenario& scenario,
                     const scenario::Serving& serving, const Server& server) {
  Served all = served(server.outcomes(), serving.slo);
  metrics.rejected_requests = static_cast<double>(all.rejected);
  if (all.e2e_ms.empty()) return;
  report_rates(metrics, scenario, all);
  metrics.ttft_ms = mean(all.ttft_ms);
  metrics.e2e_latency_ms = mean(all.e2e_ms);
  metrics.queue_ms = mean(all.queue_ms);
  if (!all.tpot_ms.empty()) {
    metrics.tpot_ms = mean(all.tpot_ms);
    metrics.output_tokens_per_s_per_user = 1e3 / *metrics.tpot_ms;
  }
  metrics.preemptions = static_cast<double>(all.preemptions);
  metrics.prefix_cache_hit_rate = all.cached_tokens / all.input_tokens;
  metrics.mean_requests_in_server = 1e3 * server.requests_s() / *metrics.makespan_ms;
  if (serving.slo.any()) {
    metrics.goodput_requests_per_s = static_cast<double>(all.good) / (1e-3 * *metrics.makespan_ms);
  }
  report(metrics, all.ttft_ms,
         {&Metrics::ttft_ms_p50, &Metrics::ttft_ms_p90, &Metrics::ttft_ms_p99});
  report(metrics, all.tpot_ms,
         {&Metrics::tpot_ms_p50, &Metrics::tpot_ms_p90, &Metrics::tpot_ms_p99});
  report(
      metrics, all.e2e_ms,
      {&Metrics::e2e_latency_ms_p50, &Metrics::e2e_latency_ms_p90, &Metrics::e2e_latency_ms_p99});
  report_gaps(metrics, server.gaps());
}

void report_queues(Metrics& metrics, Server& server) {
  const double time_s = server.end().seconds();
  if (time_s <= 0) return;
  double running_s = 0, waiting_s = 0, used_s = 0, capacity = 0, most = 0;
  for (Replica& replica : server.replicas()) {
    const ReplicaTotals totals = replica.totals(server.end());
    const auto blocks = static_cast<double>(replica.queues().cache.capacity_blocks());
    running_s += totals.running_s;
    waiting_s += totals.waiting_s;
    used_s += totals.used_blocks_s;
    capacity += blocks;
    if (blocks > 0) most = std::max(most, static_cast<double>(totals.most_used_blocks) / blocks);
  }
  metrics.mean_running_requests = running_s / time_s;
  metrics.mean_waiting_requests = waiting_s / time_s;
  if (capacity > 0) {
    metrics.kv_cache_usage = used_s / time_s / capacity;
    metrics.kv_cache_usage_max = most;
  }
}

}  // namespace tradewind::workload
