#include "validation/runtime_calibration.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sim/core/file.h"
#include "sim/scenario/runtime_reader.h"
#include "sim/workload/run.h"
#include "tests/catch.h"
#include "validation/trace_validation.h"

using namespace tradewind;
using namespace tradewind::validation;
namespace fs = std::filesystem;

namespace {

constexpr double kStepUs = 4000, kGemmMemory = 0.6;

scenario::Runtime planted(scenario::Runtime runtime) {
  runtime.step_host_s = kStepUs * 1e-6;
  runtime.kernel_rates.gemm_memory = kGemmMemory;
  return runtime;
}

/// Batches and sizes of model in which the two constants weigh differently, "measured" on a runtime
/// with the planted ones.
std::vector<TracePoint> planted_points(scenario::Catalogue& catalogue) {
  std::string text = R"({"points": [)";
  for (const std::string model : {"llama-3.1-8b", "llama-3.1-70b"}) {
    for (const int batch : {1, 4, 16}) {
      if (text.back() == '}') text += ",";
      text += fmt::format(R"({{"id": "{0}{1}", "split": "fit", "measured": {{"tpot_ms": 1}},
          "scenario": {{"model": "{0}", "cluster": "h100-8", "plan": {{"tp": 8}}, "runtime": "vllm",
           "workload": {{"kind": "static_batch", "input_tokens": 64, "output_tokens": 3,
           "batch": {1}}}}}}})",
                          model, batch);
    }
  }
  Traces traces = parse_trace(text + "]}", "t.json", false, catalogue);
  for (TracePoint& point : traces.points) {
    scenario::Scenario on_silicon = point.scenario;
    on_silicon.runtime = std::make_shared<const scenario::Runtime>(planted(*on_silicon.runtime));
    point.measured[0].value = *workload::run(on_silicon).metrics.tpot_ms;
  }
  return traces.points;
}

fs::path runtime_file() {
  return fs::path(TRADEWIND_SOURCE_DIR) / "configs" / "runtimes" / "vllm.json";
}

double fitted(const CalibratedRuntime& fit, const std::string& name) {
  for (std::size_t i = 0; i < fit.constants.size(); ++i) {
    if (fit.constants[i]->name == name) return fit.values[i];
  }
  FAIL(name + " was not fitted");
  return 0;
}

}  // namespace

TEST_CASE("calibration finds the constants that measurements were made with") {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  const std::vector<TracePoint> points = planted_points(catalogue);
  const auto fits = calibrate_runtime("vllm", runtime_file(), points, catalogue);
  REQUIRE(fits.size() == 1);
  CHECK(fits[0].architecture == "hopper");
  // The prior may keep a few percent of the way; without noise the figures themselves agree better.
  CHECK(fitted(fits[0], "step_us") == Approx(kStepUs).epsilon(0.05));
  CHECK(fitted(fits[0], "gemm_memory") == Approx(kGemmMemory).epsilon(0.05));
  CHECK(fits[0].fit_after.mape < 0.01);
  CHECK(fits[0].fit_before.mape > 0.1);
  CHECK(fits[0].check_after.figures == 0);

  SECTION("what it writes loads, and is what runs on that architecture") {
    const fs::path written =
        fs::temp_directory_path() / ("tradewind-fitted-" + std::to_string(getpid()) + ".json");
    write_file(written.string(), with_runtime_constants(runtime_file(), fits, "a command"));
    const json::Document document = json::Document::load(written.string());
    const auto runtime = std::make_shared<const scenario::Runtime>(
        scenario::load_runtime(document.root(), runtime_file().parent_path()));
    fs::remove(written);
    const auto on = scenario::runtime_on(runtime, points[0].scenario.cluster->accelerator());
    CHECK(on->notes.empty());
    CHECK(on->step_host_s == Approx(fitted(fits[0], "step_us") * 1e-6));
    CHECK(on->kernel_rates.gemm_memory == Approx(fitted(fits[0], "gemm_memory")));
    CHECK(runtime->kernel_rates.gemm_memory == 1);
  }
  SECTION("and the same again") {
    const auto again = calibrate_runtime("vllm", runtime_file(), points, catalogue);
    CHECK(again[0].values == fits[0].values);
  }
}

TEST_CASE("what runs on another name of a runtime is fitted with it") {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  std::vector<TracePoint> points = planted_points(catalogue);
  const auto figures = [&](const std::string& name) {
    const auto fits =
        calibrate_runtime(name, runtime_file().parent_path() / (name + ".json"), points, catalogue);
    return fits.at(0).fit_after.figures;
  };
  points.resize(3);
  points[0].scenario.runtime_json = R"("tensorrt-llm")";  // of 1.0, with nothing of its own
  points[1].scenario.runtime_json = R"("tensorrt-llm@1.0")";
  points[2].scenario.runtime_json = R"("tensorrt-llm@0.20")";
  CHECK(figures("tensorrt-llm@1.0") == 2);
  CHECK(figures("tensorrt-llm") == 1);
}

TEST_CASE(
    "what another fit or a source says of a constant stays, what this command said does not") {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  const std::vector<TracePoint> points = planted_points(catalogue);
  const fs::path folder =
      fs::temp_directory_path() / ("tradewind-told-" + std::to_string(getpid()));
  fs::create_directories(folder);
  fs::copy_file(runtime_file(), folder / "vllm.json", fs::copy_options::overwrite_existing);
  const auto fitted_step = [&](const std::string& kind, const std::string& source) {
    write_file((folder / "told.json").string(),
               R"({"base": "vllm", "description": "told", "on": {"hopper": {"host": {"step_us":
                   {"value": 3900, "kind": ")" +
                   kind + R"(", "source": ")" + source + R"("}}}}})");
    const auto fits = calibrate_runtime("vllm", folder / "told.json", points, catalogue);
    const auto& constants = fits.at(0).constants;
    return std::count_if(constants.begin(), constants.end(),
                         [](const RuntimeConstant* one) { return one->name == "step_us"; }) > 0;
  };
  CHECK(fitted_step("fitted", "tradewind calibrate --runtime told --traces t.json"));
  CHECK_FALSE(fitted_step("fitted", "a scan of the step"));
  CHECK_FALSE(fitted_step("measured", "a profile of the step"));
  fs::remove_all(folder);
}

TEST_CASE("points of the check split choose nothing, and a runtime needs points to fit") {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  std::vector<TracePoint> points = planted_points(catalogue);
  for (TracePoint& point : points) point.split = "check";
  CHECK_THROWS_WITH(calibrate_runtime("vllm", runtime_file(), points, catalogue),
                    Catch::Matchers::Contains("no point of the traces to fit runs on it"));
}
