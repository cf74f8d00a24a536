// `kernels_from`: a device without measurements prices kernels with its nearest relative's fits.
#include "tests/hardware/support.h"

namespace tradewind::hardware {
namespace {

using test::DataFolder;
using test::error_of;

nlohmann::json set_of(const std::string& op, double efficiency) {
  return {{"op", op},
          {"library", "vllm"},
          {"dtype", "bf16"},
          {"kind", "fitted"},
          {"source", "a test"},
          {"coefficients", {{"efficiency", efficiency}}},
          {"fit", {{"points", 30}, {"median", 0.04}, {"p90", 0.1}}}};
}

nlohmann::json device(const std::string& name, const std::string& from, nlohmann::json kernels) {
  nlohmann::json profile = DataFolder::read_shipped("accelerators/h100-sxm.json");
  profile["name"] = name;
  profile["kernels"] = std::move(kernels);
  profile.erase("kernels_from");
  if (!from.empty()) {
    profile["kernels_from"] = {{"value", from}, {"kind", "assumed"}, {"source", "a relative"}};
  }
  return profile;
}

TEST_CASE(
    "carried over coefficients follow the own ones, as assumed, naming where they come from") {
  const DataFolder data("carried");
  data.write("accelerators/old.json",
             device("old", "", {set_of("gemm", 0.8), set_of("rope", 0.6)}));
  data.write("accelerators/new.json", device("new", "old", {set_of("gemm", 0.7)}));
  const Accelerator accelerator = load_accelerator({"new", "", ""}, data.root());
  CHECK(accelerator.kernels_from == "old");
  REQUIRE(accelerator.coefficients.size() == 2);
  const CoefficientSet& own = accelerator.coefficients[0];
  CHECK(own.op == "gemm");
  CHECK(own.values.at("efficiency") == 0.7);
  CHECK(own.provenance == Provenance::fitted);
  REQUIRE(own.fit);
  CHECK(own.fit->points == 30);
  const CoefficientSet& carried = accelerator.coefficients[1];
  CHECK(carried.op == "rope");
  CHECK(carried.values.at("efficiency") == 0.6);
  CHECK(carried.provenance == Provenance::assumed);
  CHECK(carried.source == "carried over from old: a test");
  CHECK_FALSE(carried.fit);
}

TEST_CASE("what keeps pace with the clock is carried over at the clock that the part holds") {
  const DataFolder data("clock");
  nlohmann::json products = set_of("gemm", 0.8);
  products["coefficients"] = {{"matrix_efficiency", 0.8}, {"bandwidth_efficiency", 0.7}};
  data.write("accelerators/old.json", device("old", "", {products}));
  nlohmann::json capped = device("new", "old", nlohmann::json::array());
  capped["kernels_clock_share"] = {{"value", 0.9}, {"kind", "derived"}, {"source", "a test"}};
  data.write("accelerators/new.json", capped);
  const Accelerator accelerator = load_accelerator({"new", "", ""}, data.root());
  REQUIRE(accelerator.coefficients.size() == 1);
  CHECK(accelerator.coefficients[0].source == "carried over from old at 0.9 of its clock: a test");
  CHECK(accelerator.coefficients[0].values.at("matrix_efficiency") == Approx(0.72));
  CHECK(accelerator.coefficients[0].values.at("bandwidth_efficiency") == 0.7);
}

TEST_CASE("a chain of relatives is followed to its end") {
  const DataFolder data("chain");
  data.write("accelerators/a.json", device("a", "", {set_of("gemm", 0.8)}));
  data.write("accelerators/b.json", device("b", "a", nlohmann::json::array()));
  data.write("accelerators/c.json", device("c", "b", nlohmann::json::array()));
  const Accelerator c = load_accelerator({"c", "", ""}, data.root());
  REQUIRE(c.coefficients.size() == 1);
  CHECK(c.coefficients[0].source == "carried over from a: a test");
}

TEST_CASE("relatives in a circle are an error, not a hang") {
  const DataFolder data("circle");
  data.write("accelerators/a.json", device("a", "b", nlohmann::json::array()));
  data.write("accelerators/b.json", device("b", "a", nlohmann::json::array()));
  CHECK(error_of([&] {
          load_accelerator({"a", "", ""}, data.root());
        }).find("kernels_from goes round in a circle") != std::string::npos);
}

TEST_CASE("an unknown relative is named with the nearest") {
  const DataFolder data("unknown");
  data.write("accelerators/a.json", device("a", "h100-sxn", nlohmann::json::array()));
  CHECK(error_of([&] {
          load_accelerator({"a", "", ""}, data.root());
        }) ==
        (data.root() / "hardware/accelerators/a.json").string() +
            ": /kernels_from/value: unknown accelerator \"h100-sxn\"; did you mean \"h100-sxm\"? "
            "(known: a, h100-sxm, mi300x, mi355x)");
}

TEST_CASE("coefficients for one operation, library and data type are given once") {
  const DataFolder data("twice");
  data.write("accelerators/a.json", device("a", "", {set_of("gemm", 0.8), set_of("gemm", 0.7)}));
  CHECK(error_of([&] {
          load_accelerator({"a", "", ""}, data.root());
        }) == (data.root() / "hardware/accelerators/a.json").string() +
                  ": /kernels/1: coefficients of gemm/vllm/bf16 are given twice");
}

TEST_CASE("malformed coefficient sets are refused by the reader whatever they carry over") {
  const DataFolder data("malformed");
  data.write("accelerators/old.json", device("old", "", {set_of("gemm", 0.8)}));
  for (const char* text : {"5", "[5]", R"([{"op": 5}])", R"([{"op": "gemm", "kind": 7}])"}) {
    data.write("accelerators/a.json", device("a", "old", nlohmann::json::parse(text)));
    CHECK_FALSE(error_of([&] { load_accelerator({"a", "", ""}, data.root()); }).empty());
  }
}

}  // namespace
}  // namespace tradewind::hardware
