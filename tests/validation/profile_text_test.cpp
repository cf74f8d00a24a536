#include "validation/profile_text.h"

#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::validation;

namespace {

CalibratedSet gemm_set(const std::string& dtype, double latency) {
  CalibratedSet one;
  one.set.op = "gemm";
  one.set.library = "vllm";
  one.set.dtype = dtype;
  one.set.values = {{"latency_s", latency}, {"share", 0.5}};
  one.set.source = "tradewind calibrate --hardware x --kernels y.csv";
  one.fit_after = {300, 0.04123, 0.1311, 0};
  one.check_after = {100, 0.05, 0.15, 0};
  return one;
}

const std::string kProfile = R"({
  "name": "x", "note": "a \"kernels\": [1, 2] in a string is no member",
  "nested": { "kernels": "nor is this" },
  "clock_hz": { "value": 1.98e9, "kind": "datasheet", "source": "s" },
  "kernels": [
    { "op": "gemm", "library": "vllm", "dtype": "bf16", "kind": "assumed", "source": "before", "note": "n",
      "coefficients": { "latency_s": 1e-06, "share": 0.9 } },
    { "op": "gemm", "library": "blas", "dtype": "bf16", "kind": "fitted", "source": "stays",
      "coefficients": { "latency_s": 2.5e-06, "share": 1 } }
  ],
  "last": 1e3
}
)";

}  // namespace

TEST_CASE("a new set takes the place of the old one, others stay, and all around is untouched") {
  const std::vector sets = {gemm_set("bf16", 3.2e-6), gemm_set("fp8", 4e-6)};
  const std::string text = with_calibrated_kernels(kProfile, "x.json", sets);
  const auto old_list = kProfile.find("[\n    { \"op\"");
  CHECK(text.substr(0, old_list) == kProfile.substr(0, old_list));
  CHECK(text.ends_with(",\n  \"last\": 1e3\n}\n"));

  const auto kernels = nlohmann::json::parse(text).at("kernels");
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].at("coefficients").at("latency_s") == 3.2e-6);
  CHECK(kernels[0].at("kind") == "fitted");
  CHECK(kernels[0].at("note") == "n");
  CHECK(kernels[0].at("fit") ==
        nlohmann::json{{"points", 300}, {"median", 0.0412}, {"p90", 0.1311}});
  CHECK(kernels[1].at("source") == "stays");
  CHECK(kernels[1].at("coefficients").at("latency_s") == 2.5e-6);
  CHECK(kernels[2].at("dtype") == "fp8");
}

TEST_CASE("writing the same sets again changes nothing") {
  const std::vector sets = {gemm_set("bf16", 3.2e-6)};
  const std::string once = with_calibrated_kernels(kProfile, "x.json", sets);
  CHECK(with_calibrated_kernels(once, "x.json", sets) == once);
}

TEST_CASE("a profile without kernels gets them as its last member") {
  const std::vector sets = {gemm_set("bf16", 3.2e-6)};
  const auto json = nlohmann::ordered_json::parse(
      with_calibrated_kernels("{ \"name\": \"x\",\n  \"devices\": 8 }", "x.json", sets));
  CHECK(json.size() == 3);
  CHECK(json.at("kernels").size() == 1);
  CHECK(json.at("devices") == 8);
}

TEST_CASE("a set without rows kept apart says nothing of them") {
  CalibratedSet set = gemm_set("bf16", 1e-6);
  set.check_after = {};
  const std::string text = with_calibrated_kernels("{\"name\":\"x\"}", "x.json", std::vector{set});
  CHECK_FALSE(nlohmann::json::parse(text).at("kernels")[0].contains("check"));
}

TEST_CASE("a text that is no profile is an error") {
  CHECK_THROWS_AS(with_calibrated_kernels("[]", "x.json", {}), InputError);
  CHECK_THROWS_AS(with_calibrated_kernels("{\"kernels\": 3}", "x.json", {}), InputError);
  CHECK_THROWS_AS(with_calibrated_kernels("{", "x.json", {}), InputError);
}
