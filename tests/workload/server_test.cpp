#include "sim/workload/serving/server.h"

#include <cmath>
#include <numeric>
#include <random>

#include "sim/workload/run.h"
#include "sim/workload/serving/serving_limits.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

namespace tradewind::workload {
namespace {

using scenario::Request;
using testing::scenario_with;

constexpr std::int64_t kMuchCache = 10'000'000;

Request request_at(double arrival_s, int input, int output) {
  Request request;
  request.arrival_us = std::llround(arrival_s * 1e6);
  request.input_tokens = input;
  request.output_tokens = output;
  return request;
}

/// Open arrivals with exponential intervals of this mean.
std::vector<Request> poisson(std::size_t count, double interval_s, int input, int output) {
  std::mt19937_64 random(11);
  std::vector<Request> requests;
  double now_s = 0;
  for (std::size_t i = 0; i < count; ++i) {
    requests.push_back(request_at(now_s, input, output));
    now_s -= interval_s * std::log1p(-static_cast<double>(random() >> 11) * 0x1p-53);
  }
  return requests;
}

scenario::Serving scheduler_named(const std::string& name, int seats) {
  scenario::Serving serving;
  scenario::SchedulerOptions& options = serving.scheduler;
  options.name = name;
  options.max_num_seqs = seats;
  options.max_num_batched_tokens = 8192;
  return serving;
}

double mean_wait_s(const Server& server) {
  double sum = 0;
  for (const RequestOutcome& request : server.outcomes()) {
    sum += (request.admitted - request.arrival).seconds();
  }
  return sum / static_cast<double>(server.outcomes().size());
}

double mean_latency_s(const Server& server) {
  double sum = 0;
  for (const RequestOutcome& request : server.outcomes()) sum += request.e2e_latency().seconds();
  return sum / static_cast<double>(server.outcomes().size());
}

TEST_CASE("One request at a time under Poisson arrivals waits as an M/D/1 queue does") {
  const auto scenario = scenario_with({});
  const RunContext context(scenario);
  const Pool pool = make_pool(context, scheduler_named("vllm", 1), kMuchCache, 1);
  const std::vector<Request> alone = {request_at(0, 64, 1)};
  Server once(Traffic{.requests = alone}, pool);
  once.run();
  const double service_s = once.outcomes()[0].e2e_latency().seconds();
  for (const double load : {0.3, 0.5, 0.7, 0.9}) {
    const std::vector<Request> requests = poisson(1'000'000, service_s / load, 64, 1);
    Server server(Traffic{.requests = requests}, pool);
    server.run();
    // Pollaczek and Khinchine, with the load that was drawn (arrivals are rounded to 1 us).
    const double drawn = service_s * static_cast<double>(requests.size() - 1) /
                         (1e-6 * static_cast<double>(requests.back().arrival_us));
    const double expected_s = drawn * service_s / (2 * (1 - drawn));
    CHECK(mean_wait_s(server) == Approx(expected_s).epsilon(0.02));
  }
}

TEST_CASE("Little's law holds, and requests and tokens are conserved") {
  for (const char* scheduler : {"vllm", "vllm-v0", "tensorrt-llm", "static"}) {
    for (const int pp : {1, 4}) {
      const auto scenario = scenario_with({{"runtime", "vllm"}, {"plan.pp", pp}, {"plan.dp", 2}});
      const RunContext context(scenario);
      const Pool pool = make_pool(context, scheduler_named(scheduler, 16), 20'000, 2);
      std::vector<Request> requests = poisson(300, 0.02, 256, 30);
      for (std::size_t i = 0; i < requests.size(); ++i)
        requests[i].output_tokens += static_cast<int>(i % 17);
      Server server(Traffic{.requests = requests}, pool);
      server.run();
      // L = lambda W over the whole run, which begins and ends empty.
      const double time_s = server.end().seconds();
      const double rate = static_cast<double>(requests.size()) / time_s;
      CHECK(server.requests_s() / time_s == Approx(rate * mean_latency_s(server)).epsilon(0.005));
      std::int64_t sampled = 0, asked = 0, steps = 0;
      for (Replica& replica : server.replicas()) {
        const ReplicaTotals totals = replica.totals(server.end());
        sampled += totals.sampled_tokens;
        steps += static_cast<std::int64_t>(totals.steps);
        CHECK(replica.queues().cache.used_blocks() == 0);
      }
      for (const Request& request : requests) asked += request.output_tokens;
      for (const RequestOutcome& request : server.outcomes()) {
        CHECK(request.arrival <= request.admitted);
        CHECK(request.admitted < request.first_token);
        CHECK(request.first_token < request.last_token);
      }
      CHECK(sampled == asked);
      CHECK(steps > 0);
    }
  }
}

TEST_CASE("A burst that the scheduler admits at once is a static batch, to the picosecond") {
  for (const char* scheduler : {"vllm", "vllm-v0", "tensorrt-llm", "static"}) {
    for (const char* runtime : {"ideal", "vllm", "vllm-eager"}) {
      const auto scenario = scenario_with({{"runtime", runtime},
                                           {"plan.tp", 2},
                                           {"workload.batch", 7},
                                           {"workload.input_tokens", 100},
                                           {"workload.output_tokens", 50}});
      const Result result = run(scenario);
      const RunContext context(scenario);
      const Pool pool = make_pool(context, scheduler_named(scheduler, 64), kMuchCache, 1);
      const std::vector<Request> requests(7, request_at(0, 100, 50));
      Server server(Traffic{.requests = requests}, pool);
      server.run();
      CHECK(server.end().milliseconds() == *result.metrics.makespan_ms);
      CHECK(server.outcomes()[0].ttft().milliseconds() == Approx(*result.metrics.ttft_ms));
      CHECK(1e3 * server.outcomes()[6].tpot_s() == Approx(*result.metrics.tpot_ms));
    }
  }
}

TEST_CASE("A burst in a pipeline under the static scheduler is a static batch of nano-batches") {
  const auto scenario = scenario_with({{"runtime", "vllm"},
                                       {"plan.pp", 4},
                                       {"workload.batch", 10},
                                       {"workload.input_tokens", 100},
                                       {"workload.output_tokens", 50}});
  const Result result = run(scenario);
  const RunContext context(scenario);
  const Pool pool = make_pool(context, scheduler_named("static", 64), kMuchCache, 1);
  const std::vector<Request> requests(10, request_at(0, 100, 50));
  Server server(Traffic{.requests = requests}, pool);
  server.run();
  Time last;
  for (const RequestOutcome& request : server.outcomes()) last = std::max(last, request.last_token);
  CHECK(last.milliseconds() == *result.metrics.makespan_ms);
  CHECK(1e3 * mean_latency_s(server) == Approx(*result.metrics.e2e_latency_ms));
}

TEST_CASE("A closed loop keeps its clients busy and never has more requests than clients") {
  const auto scenario = scenario_with({{"runtime", "vllm"}});
  const RunContext context(scenario);
  const Pool pool = make_pool(context, scheduler_named("vllm", 64), kMuchCache, 1);
  const std::vector<Request> requests(200, request_at(0, 128, 20));
  Server server(Traffic{.requests = requests, .concurrency = 8}, pool);
  server.run();
  CHECK(server.requests_s() / server.end().seconds() == Approx(8).epsilon(0.05));
  for (const StepSample& step : server.samples().kept) CHECK(step.running + step.waiting <= 8);
}

TEST_CASE(
    "Prefill and decode apart: the first token comes from one pool, the others from the next") {
  const auto scenario = scenario_with({{"runtime", "vllm"}});
  const RunContext context(scenario);
  const Pool pool = make_pool(context, scheduler_named("vllm", 64), kMuchCache, 1);
  const std::vector<Request> requests = {request_at(0, 512, 10)};
  Server together(Traffic{.requests = requests}, pool);
  together.run();
  const Time transfer = Time::from_seconds(0.25);
  Server apart(Traffic{.requests = requests}, pool, Disaggregation{pool, [&](std::int64_t tokens) {
                                                                     CHECK(tokens == 512);
                                                                     return transfer;
                                                                   }});
  apart.run();
  CHECK(apart.outcomes()[0].ttft() == together.outcomes()[0].ttft());
  CHECK(apart.end() == together.end() + transfer);
}

TEST_CASE("A sequence that waits for the decode pool's cache computes no token again") {
  const auto scenario = scenario_with({{"runtime", "vllm"}});
  const RunContext context(scenario);
  const Pool prefill = make_pool(context, scheduler_named("vllm", 64), kMuchCache, 1);
  const Pool decode = make_pool(context, scheduler_named("tensorrt-llm", 64), 640, 1);  // for one
  const std::vector<Request> requests(5, request_at(0, 512, 10));
  Server server(Traffic{.requests = requests}, prefill,
                Disaggregation{decode, [](std::int64_t) { return Time{}; }});
  server.run();
  const ReplicaTotals totals = server.replicas().back().totals(server.end());
  CHECK(totals.prompt_tokens == 0);
  CHECK(totals.sampled_tokens == 5L * 9);
  CHECK(totals.most_used_blocks * decode.block_tokens <= 640);
}

TEST_CASE("A request longer than the cache is rejected and counted, the others are served") {
  const auto scenario = scenario_with({});
  const RunContext context(scenario);
  const Pool pool = make_pool(context, scheduler_named("vllm", 64), 1600, 1);
  const std::vector<Request> requests = {request_at(0, 100, 10), request_at(0, 2000, 10),
                                         request_at(0, 100, 10)};
  for (const int clients : {0, 2}) {
    Server server(Traffic{.requests = requests, .concurrency = clients}, pool);
    server.run();
    CHECK(server.outcomes()[1].rejected);
    CHECK(server.outcomes()[2].last_token.ps > 0);
  }
}

TEST_CASE("A request beyond the model's positions is rejected, though the cache could hold it") {
  const auto scenario = scenario_with({});  // Llama 3.1: 131,072 positions
  const RunContext context(scenario);
  const Pool pool = make_pool(context, scheduler_named("vllm", 64), 1'000'000, 1);
  const std::vector<Request> requests = {request_at(0, 131'062, 10), request_at(0, 131'063, 10)};
  Server server(Traffic{.requests = requests}, pool);
  server.run();
  CHECK_FALSE(server.outcomes()[0].rejected);
  CHECK(server.outcomes()[1].rejected);
}

TEST_CASE("Routers spread requests: in turn, to the shortest queue, to the cached prefix") {
  const auto scenario = scenario_with({{"plan.dp", 2}});
  const RunContext context(scenario);
  scenario::Serving serving = scheduler_named("vllm", 4);
  serving.scheduler.enable_prefix_caching = true;
  const Pool pool = make_pool(context, serving, 100'000, 2);
  // Every second request is long: in turn, they all meet on one replica.
  std::vector<Request> requests;
  requests.reserve(100);
  for (int i = 0; i < 100; ++i) requests.push_back(request_at(0.001 * i, 64, i % 2 ? 400 : 2));
  const auto last = [&](scenario::Router router) {
    Server server(Traffic{.requests = requests, .router = router}, pool);
    server.run();
    return server.end();
  };
  CHECK(last(scenario::Router::least_loaded) < last(scenario::Router::round_robin));

  // Two conversations, interleaved: each finds its prefix where it was computed.
  std::vector<Request> talks;
  for (int i = 0; i < 40; ++i) {
    Request request = request_at(1.0 * i, 2000, 2);
    request.prefix = i / 2 % 2;
    request.prefix_tokens = 1984;
    talks.push_back(request);
  }
  const auto cached = [&](scenario::Router router) {
    Server server(Traffic{.requests = talks, .router = router}, pool);
    server.run();
    std::int64_t tokens = 0;
    for (const RequestOutcome& request : server.outcomes()) tokens += request.cached_tokens;
    return tokens;
  };
  CHECK(cached(scenario::Router::kv_aware) == 38L * 1984);
  CHECK(cached(scenario::Router::round_robin) == 36L * 1984);
}

}  // namespace
}  // namespace tradewind::workload
