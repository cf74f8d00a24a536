#include "validation/withheld.h"

#include <filesystem>

#include "sim/hardware/nearest.h"
#include "sim/workload/run.h"
#include "tests/catch.h"
#include "validation/statistics.h"
#include "validation/trace_validation.h"

using namespace tradewind;
using namespace tradewind::validation;
using Catch::Matchers::Contains;

namespace {

std::vector<TracePoint> points_on(const std::vector<std::string>& clusters,
                                  scenario::Catalogue& catalogue) {
  std::string text = R"({"points": [)";
  for (const std::string& cluster : clusters) {
    if (text.back() == '}') text += ",";
    text += R"({"id": ")" + cluster + R"(", "measured": {"ttft_ms": 3}, "scenario":
        {"model": "llama-3.1-8b", "runtime": "tensorrt-llm@0.11", "cluster": ")" +
            cluster + R"(", "workload": {"kind": "static_batch", "input_tokens": 64,
         "output_tokens": 8, "batch": 1}}})";
  }
  return parse_trace(text + "]}", "t.json", false, catalogue).points;
}

/// The project's own measurements.
Validation own_traces(const std::string& withheld) {
  const std::filesystem::path data = TRADEWIND_SOURCE_DIR;
  return validate(find_measurements({(data / "traces" / "inference").string()}), data, 0, withheld);
}

}  // namespace

TEST_CASE("only the device's points are answered, and every kernel of theirs is assumed") {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  Withheld withheld("h200", catalogue);
  const auto points = withheld.points(points_on({"h100-8", "h200-8", "mi300x-8"}, catalogue));
  REQUIRE(points.size() == 1);
  CHECK(points[0].id == "h200-8");
  const hardware::Accelerator& device = points[0].scenario.cluster->accelerator();
  CHECK(device.kernels_from == "h100-sxm");
  CHECK_FALSE(hardware::is_measured(device));
  // Host time has no provenance; no other time may claim any but what nobody measured.
  const workload::Result result = workload::run(points[0].scenario);
  for (const Provenance kind :
       {Provenance::measured, Provenance::interpolated, Provenance::fitted}) {
    CHECK(result.provenance_ms[static_cast<std::size_t>(kind)] == 0);
  }
  CHECK(result.provenance_ms[static_cast<std::size_t>(Provenance::assumed)] > 0);
  REQUIRE(withheld.notes().size() == 1);
  CHECK_THAT(withheld.notes()[0], Contains("h100-sxm carried over (assumed)"));
}

TEST_CASE("a runtime's constants come from the relative's architecture where it was measured") {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  const auto hopper = points_on({"h100-8"}, catalogue)[0].scenario.runtime;
  Withheld a100("a100", catalogue);
  const auto points = a100.points(points_on({"a100-40-4"}, catalogue));
  REQUIRE(points.size() == 1);
  CHECK(points[0].scenario.runtime->step_host_s == hopper->step_host_s);
  CHECK_THAT(a100.notes().back(), Contains("host times and rates of hopper"));
}

TEST_CASE("an unknown device and a device without points are one clear line") {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  CHECK_THROWS_WITH(Withheld("h20", catalogue), Contains("did you mean \"h200\"?"));
  CHECK_THROWS_WITH(own_traces("mi350x"), Contains("no measurement given is of \"mi350x\""));
}

TEST_CASE("each device of the traces is answered without its measurements to 15 % in the mean") {
  const std::string device = GENERATE("h200", "mi300x", "a100");
  CAPTURE(device);
  const auto error = mean_error_of_static_batches(own_traces(device));
  REQUIRE(error);
  CHECK(*error <= kWithheldTolerance);  // what the project asks of its rule
}

TEST_CASE("a configuration that is faster on silicon is faster here: every group of ten and more") {
  const Validation validation = own_traces("");
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> by_group;
  for (const PointError& error : validation.errors) {
    REQUIRE(error.simulated);
    auto& [measured, simulated] = by_group[error.group + " " + error.metric];
    measured.push_back(error.measured), simulated.push_back(*error.simulated);
  }
  std::size_t groups = 0;
  for (const auto& [group, pairs] : by_group) {
    if (pairs.first.size() < 10) continue;
    CAPTURE(group);
    CHECK(spearman(pairs.first, pairs.second).value() >= 0.95);  // what the project promises
    ++groups;
  }
  CHECK(groups >= 3);
}
