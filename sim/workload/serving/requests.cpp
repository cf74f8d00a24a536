#include "sim/workload/serving/requests.h"

#include <algorithm>
#include <cmath>

#include "sim/workload/serving/request_draws.h"
#include "sim/workload/serving/request_lengths.h"

namespace tradewind::workload {
namespace {

using scenario::Arrival;
using scenario::Request;

enum Stream : std::uint64_t { kInputs, kOutputs, kArrivals };

std::vector<Request> drawn_lengths(const scenario::RequestSource& source, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(source.count);
  Draws input_draws(seed, kInputs), output_draws(seed, kOutputs);
  const std::vector<std::int32_t> inputs = draw_lengths(source.input, count, input_draws);
  const std::vector<std::int32_t> outputs = draw_lengths(source.output, count, output_draws);
  std::vector<Request> requests(count);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Request& request = requests[i];
    request.input_tokens = inputs[i];
    request.output_tokens = outputs[i];
    if (source.prefix_groups == 0) continue;
    request.prefix = static_cast<std::int32_t>(i % static_cast<std::size_t>(source.prefix_groups));
    request.prefix_tokens = std::min(source.prefix_tokens, request.input_tokens);
  }
  return requests;
}

std::vector<Request> given_lengths(const scenario::RequestSource& source) {
  const auto end = source.file->begin() + source.count;
  return {source.file->begin(), end};
}

/// Intervals of mean 1 in units of the mean interval.
double interval(Draws& draws, const Arrival& arrival) {
  if (arrival.kind == Arrival::Kind::poisson) return draws.exponential();
  return draws.gamma(arrival.burstiness) / arrival.burstiness;
}

void set_arrivals(std::vector<Request>& requests, const Arrival& arrival, std::uint64_t seed) {
  if (arrival.kind == Arrival::Kind::file) return;
  const bool drawn = arrival.kind == Arrival::Kind::poisson || arrival.kind == Arrival::Kind::gamma;
  Draws draws(seed, kArrivals);
  double intervals = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (drawn && i > 0) intervals += interval(draws, arrival);
    requests[i].arrival_us = drawn ? std::llround(1e6 * intervals / arrival.requests_per_s) : 0;
  }
}

}  // namespace

std::vector<Request> draw_requests(const scenario::Serving& serving, std::uint64_t seed) {
  std::vector<Request> requests = serving.requests.file ? given_lengths(serving.requests)
                                                        : drawn_lengths(serving.requests, seed);
  set_arrivals(requests, serving.arrival, seed);
  return requests;
}

}  // namespace tradewind::workload
