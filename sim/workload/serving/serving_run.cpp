#include "sim/workload/serving/serving_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/model/count.h"
#include "sim/workload/serving/pools.h"
#include "sim/workload/serving/requests.h"
#include "sim/workload/serving/serving_limits.h"
#include "sim/workload/serving/serving_metrics.h"

namespace tradewind::workload {
namespace {

using scenario::Arrival;

/// FLOPs of decoding the tokens from `first` to `last` in the cache, both included: linear in the
/// context, on either side of a sliding window.
double decode_flops(const model::ModelConfig& model, double first, double last) {
  const auto linear = [&](double from, double to) {
    if (to < from) return 0.0;
    return (to - from + 1) * 0.5 *
           (model::forward_flops(model, 1, from) + model::forward_flops(model, 1, to));
  };
  const auto window = static_cast<double>(model.sliding_window);
  if (window <= 0 || last < window || first > window) return linear(first, last);
  return linear(first, window - 1) + linear(window, last);
}

double model_flops(const model::ModelConfig& model, const std::vector<RequestOutcome>& requests) {
  double flops = 0;
  for (const RequestOutcome& request : requests) {
    if (request.rejected) continue;
    const double input = request.input_tokens;
    flops += model::forward_flops(model, input - request.cached_tokens, request.cached_tokens) +
             decode_flops(model, input, input + request.output_tokens - 2);
  }
  return flops;
}

/// The replica whose fullest stage worked longest.
struct Busiest {
  std::size_t replica = 0, stage = 0;
  ReplicaTotals totals;
};

Busiest busiest_of(Server& server) {
  Busiest busiest;
  Time longest{-1};
  for (std::size_t r = 0; r < server.replicas().size(); ++r) {
    ReplicaTotals totals = server.replicas()[r].totals(server.end());
    const auto most = std::max_element(totals.busy.begin(), totals.busy.end());
    if (*most <= longest) continue;
    longest = *most;
    busiest.replica = r;
    busiest.stage = static_cast<std::size_t>(most - totals.busy.begin());
    busiest.totals = std::move(totals);
  }
  return busiest;
}

/// Adds what is no kernel, so that the rows sum to the time from the first arrival to the end.
void add_rest(Breakdown& breakdown, const Busiest& busiest, Time transfers, Time makespan) {
  const Time launches = busiest.totals.busy[busiest.stage] - (breakdown.total() - transfers);
  breakdown.add_other("all", "launch", 1, launches, kernels::Bound::host);
  const Time rest = makespan - breakdown.total();
  // Without a pipeline a device waits for its host, or for requests.
  const bool pipeline = busiest.totals.busy.size() > 1;
  const Time host = pipeline ? Time{} : std::min(rest, busiest.totals.host);
  breakdown.add_other("all", "host", 1, host, kernels::Bound::host);
  breakdown.add_other("all", pipeline ? "pipeline_wait" : "idle", 1, rest - host,
                      kernels::Bound::latency);
}

void report_time(Result& result, const scenario::Scenario& scenario, Server& server) {
  Metrics& metrics = result.metrics;
  const Busiest busiest = busiest_of(server);
  const Replica& replica = server.replicas()[busiest.replica];
  const Time makespan = Time::from_seconds(1e-3 * *metrics.makespan_ms);
  Breakdown breakdown = replica.pricer().breakdown(busiest.stage);
  metrics.communication_ms = breakdown.communication().milliseconds();
  metrics.p2p_ms = breakdown.of(lowering::KernelKind::p2p).milliseconds();
  add_rest(breakdown, busiest, breakdown.of(lowering::KernelKind::p2p), makespan);
  result.breakdown = breakdown.rows(makespan);
  result.communication = breakdown.communication_rows();
  result.provenance_ms = breakdown.provenance_ms();

  const auto alone = [&](Variant variant) {
    return busiest.totals.steps_alone[static_cast<std::size_t>(variant)];
  };
  const Time exposed = alone(Variant::simulated) - alone(Variant::without_communication);
  metrics.exposed_communication_ms = exposed.milliseconds();
  metrics.exposed_communication_fraction = exposed.milliseconds() / *metrics.makespan_ms;
  metrics.compute_ms = *metrics.makespan_ms - exposed.milliseconds();
  metrics.speed_of_light_ms = alone(Variant::speed_of_light).milliseconds();
  metrics.speed_of_light_share =
      alone(Variant::speed_of_light).seconds() / alone(Variant::simulated).seconds();
  if (busiest.totals.busy.size() > 1) {
    const Time busy =
        std::accumulate(busiest.totals.busy.begin(), busiest.totals.busy.end(), Time{});
    metrics.bubble_fraction =
        1 - busy.seconds() / (static_cast<double>(busiest.totals.busy.size()) * makespan.seconds());
  }
  metrics.model_flops_per_device_per_s = model_flops(*scenario.model, server.outcomes()) /
                                         makespan.seconds() / scenario.plan.devices();
  metrics.mfu = *metrics.model_flops_per_device_per_s /
                scenario.cluster->accelerator().peak(scenario.precision.activations);
  for (Replica& one : server.replicas()) result.events += one.totals(server.end()).steps;
}

Traffic traffic_of(const scenario::Scenario& scenario, const scenario::Serving& serving,
                   const std::vector<scenario::Request>& requests) {
  Traffic traffic;
  traffic.requests = requests;
  traffic.router = serving.router;
  traffic.frontend = Time::from_seconds(scenario.runtime->request_host_s);
  if (serving.arrival.kind == Arrival::Kind::closed_loop) {
    traffic.concurrency = serving.arrival.concurrency;
  }
  return traffic;
}

/// A deployment: one scenario and its replicas.
struct Deployment {
  Deployment(scenario::Scenario the_scenario, const scenario::Serving& serving)
      : scenario(std::move(the_scenario)),
        context(scenario),
        pool(make_pool(context, serving, scenario::memory_of(scenario).kv_cache_capacity_tokens,
                       scenario.plan.dp)) {}
  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;

  scenario::Scenario scenario;
  RunContext context;
  Pool pool;
};

void serve(const scenario::Scenario& scenario, const scenario::Serving& serving, Server& server,
           bool keep_outcome, Result& result) {
  server.run();
  report_requests(result.metrics, scenario, serving, server);
  report_queues(result.metrics, server);
  if (const double rejected = *result.metrics.rejected_requests; rejected > 0) {
    const std::string text = fmt::format(
        "{} of {} requests are longer than the KV cache or the model's positions: rejected",
        rejected, server.outcomes().size());
    result.feasible = rejected < static_cast<double>(server.outcomes().size());
    if (result.feasible) {
      result.notes.push_back(text);
    } else {
      result.reason = text;
    }
  }
  if (result.metrics.makespan_ms) report_time(result, scenario, server);
  if (!keep_outcome) return;
  const KvCache& cache = server.replicas().back().queues().cache;
  auto outcome = std::make_shared<ServingOutcome>();
  outcome->requests = server.outcomes();
  outcome->steps = server.samples();
  outcome->capacity_blocks = cache.capacity_blocks();
  outcome->block_tokens = cache.block_tokens();
  outcome->replicas = static_cast<int>(server.replicas().size());
  result.serving = std::move(outcome);
}

}  // namespace

void run_serving(const scenario::Scenario& scenario, const scenario::Serving& serving,
                 bool keep_outcome, Result& result) {
  const std::vector<scenario::Request> requests = draw_requests(serving, scenario.seed);
  const Traffic traffic = traffic_of(scenario, serving, requests);
  if (!scenario.plan.pools) {
    const Deployment all(scenario, serving);
    Server server(traffic, all.pool);
    serve(scenario, serving, server, keep_outcome, result);
    return;
  }
  const scenario::Disaggregated& pools = *scenario.plan.pools;
  const Deployment prefill(pool_scenario(scenario, pools.prefill), serving);
  const Deployment decode(pool_scenario(scenario, pools.decode), serving);
  const auto transfer = [&](std::int64_t tokens) {
    return cache_transfer(prefill.context, pools, tokens);
  };
  Server server(traffic, prefill.pool, Disaggregation{decode.pool, transfer});
  serve(scenario, serving, server, keep_outcome, result);
}

}  // namespace tradewind::workload
