#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "validation/gate.h"
#include "validation/trace_validation.h"

using namespace tradewind;
using namespace tradewind::validation;
namespace fs = std::filesystem;

namespace {

/// A copy of the data in which profiles can be changed; goes with the test.
class DataCopy {
 public:
  DataCopy() : root_(fs::temp_directory_path() / ("tradewind-gate-" + std::to_string(getpid()))) {
    fs::create_directories(root_);
    for (const char* folder : {"models", "hardware", "configs"}) {
      fs::copy(fs::path(TRADEWIND_SOURCE_DIR) / folder, root_ / folder,
               fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    }
  }
  ~DataCopy() { fs::remove_all(root_); }
  DataCopy(const DataCopy&) = delete;
  DataCopy& operator=(const DataCopy&) = delete;

  const fs::path& root() const { return root_; }

  /// Multiplies a coefficient in every set of `op` of that accelerator.
  void scale(const std::string& accelerator, const std::string& op, const std::string& coefficient,
             double factor) const {
    const fs::path path = root_ / "hardware" / "accelerators" / (accelerator + ".json");
    nlohmann::json profile = nlohmann::json::parse(std::ifstream(path));
    std::size_t changed = 0;
    for (nlohmann::json& set : profile["kernels"]) {
      if (set["op"] != op || !set["coefficients"].contains(coefficient)) continue;
      nlohmann::json& value = set["coefficients"][coefficient];
      value = value.get<double>() * factor;
      ++changed;
    }
    REQUIRE(changed > 0);
    std::ofstream(path) << profile;
  }

 private:
  fs::path root_;
};

/// One of each regime: decode bound by weights and latencies, decode bound by the KV cache, and
/// prefill bound by matrix products, on one device and with all-reduces between eight.
constexpr const char* kTrace = R"({"points": [
  {"id": "weights", "group": "weights", "measured": {"tpot_ms": 1}, "scenario": {
    "model": "llama-3.1-70b", "cluster": "h100-8", "plan": {"tp": 8},
    "workload": {"kind": "static_batch", "batch": 1, "input_tokens": 128, "output_tokens": 32}}},
  {"id": "cache", "group": "cache", "measured": {"tpot_ms": 1}, "scenario": {
    "model": "llama-3.1-8b", "cluster": "h100-8", "plan": {"tp": 1},
    "workload": {"kind": "static_batch", "batch": 64, "input_tokens": 4096, "output_tokens": 32}}},
  {"id": "products", "group": "products", "measured": {"ttft_ms": 1}, "scenario": {
    "model": "llama-3.1-70b", "cluster": "h100-8", "plan": {"tp": 8},
    "workload": {"kind": "static_batch", "batch": 8, "input_tokens": 2048, "output_tokens": 2}}}]})";

Validation validate_fixture(const fs::path& data, const std::vector<double>& measured) {
  scenario::Catalogue catalogue(data);
  Validation validation;
  validation.points = parse_trace(kTrace, "fixture.json", false, catalogue).points;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    validation.points[i].measured[0].value = measured[i];
  }
  validation.results = simulate(validation.points);
  validation.errors = trace_errors(validation.points, validation.results);
  validation.groups = group_errors(validation.errors);
  return validation;
}

/// What the profiles as they are answer, taken as measured: a simulator without error, so that any
/// change is one for the worse.
std::vector<double> perfect(const fs::path& data) {
  std::vector<double> measured;
  for (const PointError& error : validate_fixture(data, {}).errors) {
    measured.push_back(error.simulated.value());
  }
  return measured;
}

}  // namespace

TEST_CASE("a coefficient changed by 20 % does not pass the gate") {
  struct Change {
    const char *op, *coefficient;
    double factor;
  };
  const auto change = GENERATE(
      Change{"gemm", "matrix_efficiency", 0.8}, Change{"gemm", "bandwidth_efficiency", 1.2},
      Change{"attention_decode", "bandwidth_efficiency", 0.8},
      Change{"all_reduce", "one_shot_base_s", 1.2}, Change{"elementwise", "launch_latency_s", 1.2});
  CAPTURE(change.op, change.coefficient);
  const DataCopy copy;
  const std::vector<double> measured = perfect(copy.root());
  const Baseline baseline = make_baseline(validate_fixture(copy.root(), measured));
  CHECK(compare_with_baseline(validate_fixture(copy.root(), measured), baseline, "b").passed());
  copy.scale("h100-sxm", change.op, change.coefficient, change.factor);
  const Validation now = validate_fixture(copy.root(), measured);
  const Gate gate = compare_with_baseline(now, baseline, "b");
  CHECK_FALSE(gate.passed());
  REQUIRE_FALSE(gate.moved.empty());
  // The report names a kernel of the operation that was changed.
  CHECK_FALSE(gate.moved.front().why.empty());
}
