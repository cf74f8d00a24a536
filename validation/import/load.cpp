#include "validation/import/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"

namespace tradewind::validation {
namespace {

using Json = nlohmann::ordered_json;

/// Whole requests and tokens: at least one of what was there at all.
std::int64_t whole(double count) {
  return std::max<std::int64_t>(1, std::llround(count));
}

bool has_finite_rate(const Load& load) {
  return load.requests_per_s && std::isfinite(*load.requests_per_s);
}

/// How many were in flight when nothing held requests back but that number.
std::optional<double> in_flight(const Load& load) {
  if (!load.concurrency) return load.requests;
  return load.requests ? std::min(*load.concurrency, *load.requests) : load.concurrency;
}

void complete_static_batch(Json& workload, const Load& load, const std::string& file) {
  if (has_finite_rate(load)) {
    throw InputError(file, "/workload/kind",
                     fmt::format("a run at {:g} requests per second is no static_batch; leave the "
                                 "workload out, or say serving",
                                 *load.requests_per_s));
  }
  // A rate that nobody states leaves open whether all requests were in flight together.
  const bool says_batch = load.concurrency || load.requests_per_s;
  const bool keeps_own = load.concurrency_is_mean && workload.contains("batch");
  if (says_batch && !keeps_own && in_flight(load)) workload["batch"] = whole(*in_flight(load));
  if (load.input_tokens) workload["input_tokens"] = whole(*load.input_tokens);
  if (load.output_tokens) workload["output_tokens"] = whole(*load.output_tokens);
}

void complete_requests(Json& requests, const Load& load, const std::string& file) {
  if (requests.is_null()) requests = Json::object();
  if (!requests.is_object()) {
    throw InputError(file, "/workload/requests", "expected an object");
  }
  if (load.requests) requests["count"] = whole(*load.requests);
  if (requests.contains("dataset") || requests.contains("file")) return;
  const auto complete = [&](const char* key, const std::optional<double>& mean) {
    if (requests.contains(key) && requests[key].is_object()) return;
    if (mean) requests[key] = whole(*mean);
    if (requests.contains(key)) return;
    throw InputError(file, "/workload/requests",
                     fmt::format("needs \"{}\": the measurement does not say", key));
  };
  complete("input_tokens", load.input_tokens);
  complete("output_tokens", load.output_tokens);
}

Json arrival_of(const Load& load) {
  if (has_finite_rate(load)) {
    return {{"kind", "poisson"}, {"requests_per_s", *load.requests_per_s}};
  }
  if (load.concurrency) {
    return {{"kind", "closed_loop"}, {"concurrency", whole(*load.concurrency)}};
  }
  return load.requests_per_s ? Json{{"kind", "burst"}} : Json();
}

void complete_serving(Json& workload, const Load& load, const std::string& file) {
  complete_requests(workload["requests"], load, file);
  const Json arrival = arrival_of(load);
  const bool is_guess = arrival.is_null() || (!has_finite_rate(load) && load.concurrency_is_mean);
  if (is_guess && workload.contains("arrival")) return;
  if (arrival.is_null()) {
    throw InputError(file, "/workload",
                     "needs \"arrival\": the measurement says neither a concurrency nor a request "
                     "rate");
  }
  workload["arrival"] = arrival;
}

}  // namespace

void complete_workload(Json& scenario, const Load& load, const std::string& file) {
  Json& workload = scenario["workload"];
  if (workload.is_null()) workload = {{"kind", "serving"}};
  if (!workload.is_object()) throw InputError(file, "/workload", "expected an object");
  const Json kind = workload.value("kind", Json());
  if (kind == "static_batch") return complete_static_batch(workload, load, file);
  if (kind == "serving") return complete_serving(workload, load, file);
  throw InputError(file, "/workload/kind",
                   fmt::format("found {}, expected serving or static_batch, which are what this "
                               "tool measures",
                               kind.dump()));
}

}  // namespace tradewind::validation
