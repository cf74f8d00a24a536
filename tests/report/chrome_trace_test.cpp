#include "sim/report/chrome_trace.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"

namespace {

using namespace tradewind;
using report::TraceSlice;

const std::vector<report::TraceLane> kLanes = {{0, 0, "device 0", "compute"},
                                               {0, 1, "device 0", "communication"},
                                               {1, 0, "device 1", "compute \"x\""}};

}  // namespace

TEST_CASE("a trace is JSON that names lanes and keeps picoseconds") {
  std::string text;
  report::ChromeTrace trace(kLanes, [&](std::string_view piece) { text += piece; });
  const report::TraceArgument arguments[] = {{"tokens", std::int64_t{64}}, {"bound", "memory"}};
  const TraceSlice first{0, "gemm", "compute", Time{1'234'567}, Time{7}, arguments};
  const TraceSlice second{1, "all \"reduce\"\n", "network", Time{2'000'000}, Time{3'000'000}, {}};
  trace.slice(first);
  trace.slice(second);
  trace.flow(first, second);
  trace.finish();

  CHECK(text.find("\"ts\":1.234567,\"dur\":0.000007") != std::string::npos);
  const auto json = nlohmann::json::parse(text);
  CHECK(json["displayTimeUnit"] == "ns");
  int names = 0, slices = 0, flows = 0;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] == "thread_name") ++names;
    if (event["ph"] == "X") ++slices;
    if (event["ph"] == "s" || event["ph"] == "f") ++flows;
  }
  CHECK(names == 3);
  CHECK(slices == 2);
  CHECK(flows == 2);
}

TEST_CASE("slices of one lane can't overlap, those of two lanes can") {
  report::ChromeTrace trace(kLanes, [](std::string_view) {});
  trace.slice({0, "a", "", Time{0}, Time{10}, {}});
  trace.slice({1, "b", "", Time{5}, Time{10}, {}});
  trace.slice({0, "c", "", Time{10}, Time{1}, {}});
  CHECK_THROWS_AS(trace.slice({0, "d", "", Time{10}, Time{1}, {}}), std::logic_error);
}

TEST_CASE("a long trace leaves in pieces that make one document") {
  std::string text;
  std::size_t pieces = 0;
  report::ChromeTrace trace(kLanes, [&](std::string_view piece) { text += piece, ++pieces; });
  constexpr std::int64_t kSlices = 50'000;
  for (std::int64_t i = 0; i < kSlices; ++i) {
    trace.slice({0, "kernel", "compute", Time{i * 10}, Time{10}, {}});
  }
  trace.finish();
  CHECK(pieces > 1);
  // Three thread names, two process names, each with a sort index.
  CHECK(nlohmann::json::parse(text)["traceEvents"].size() == kSlices + 10);
}
