#include "sim/scenario/request_files/request_rows.h"

#include <fmt/format.h>

#include "sim/core/error.h"

namespace tradewind::scenario {
namespace {

constexpr std::int64_t kMostTokens = 100'000'000;

std::int32_t checked(const RowPlace& place, std::int64_t tokens, std::string_view what) {
  if (tokens < 1 || tokens > kMostTokens) {
    place.fail(fmt::format("{} of {} tokens; expected 1 to {}", what, tokens, kMostTokens));
  }
  return static_cast<std::int32_t>(tokens);
}

}  // namespace

void RowPlace::fail(const std::string& message) const {
  if (line > 0) throw InputError(fmt::format("{}:{}", file, line), "", message);
  throw InputError(file, fmt::format("/{}", element), message);
}

std::int64_t RequestRows::since_first(const RowPlace& place,
                                      std::optional<std::int64_t> arrival_us) {
  const bool first = file_.requests.empty();
  if (first) file_.has_arrivals = arrival_us.has_value();
  if (arrival_us.has_value() != file_.has_arrivals) {
    place.fail("some requests have a time of arrival and some have none");
  }
  if (!arrival_us) return 0;
  if (first) first_us_ = *arrival_us;
  const std::int64_t since = *arrival_us - first_us_;
  if (!first && since < file_.requests.back().arrival_us) {
    place.fail("the request arrives before the one above it: times must not go backwards");
  }
  return since;
}

void RequestRows::add(const RowPlace& place, std::optional<std::int64_t> arrival_us,
                      std::int64_t input_tokens, std::int64_t output_tokens) {
  Request request;
  request.arrival_us = since_first(place, arrival_us);
  request.input_tokens = checked(place, input_tokens, "a prompt");
  request.output_tokens = checked(place, output_tokens, "an output");
  file_.requests.push_back(request);
}

RequestFile RequestRows::finish(const std::string& file) {
  if (file_.requests.empty()) throw InputError(file, "", "there are no requests in it");
  return std::move(file_);
}

}  // namespace tradewind::scenario
