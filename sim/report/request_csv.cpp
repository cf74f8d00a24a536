#include "sim/report/request_csv.h"

#include <fmt/format.h>

#include <iterator>

namespace tradewind::report {
namespace {

constexpr std::size_t kUsualRowBytes = 64;

void append_times(std::string& text, const workload::RequestOutcome& request) {
  const auto append = [&](double milliseconds) {
    fmt::format_to(std::back_inserter(text), ",{:.6g}", milliseconds);
  };
  if (request.rejected) {
    text += ",,,,";
    return;
  }
  append((request.admitted - request.arrival).milliseconds());
  append(request.ttft().milliseconds());
  if (request.output_tokens > 1) {
    append(1e3 * request.tpot_s());
  } else {
    text += ',';
  }
  append(request.e2e_latency().milliseconds());
}

}  // namespace

std::string request_csv(const workload::ServingOutcome& outcome) {
  std::string text =
      "request,arrival_ms,queue_ms,ttft_ms,tpot_ms,e2e_latency_ms,input_tokens,output_tokens,"
      "preemptions\n";
  text.reserve(text.size() + kUsualRowBytes * outcome.requests.size());
  std::size_t number = 0;
  for (const workload::RequestOutcome& request : outcome.requests) {
    // Arrivals are whole microseconds, far into a day.
    fmt::format_to(std::back_inserter(text), "{},{:.3f}", number++, request.arrival.milliseconds());
    append_times(text, request);
    fmt::format_to(std::back_inserter(text), ",{},{},{}\n", request.input_tokens,
                   request.output_tokens, request.preemptions);
  }
  return text;
}

}  // namespace tradewind::report
