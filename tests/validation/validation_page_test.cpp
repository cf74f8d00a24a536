#include "validation/validation_page.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "validation/page_data.h"
#include "validation/trace_validation.h"

using namespace tradewind;
using namespace tradewind::validation;
using Catch::Matchers::Contains;

namespace {

/// One point that runs, and one whose name tries to end the script that the data stands in.
Validation example() {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  Validation validation;
  validation.points = parse_trace(
                          R"({"source": "A & B", "points": [
    {"id": "one", "group": "g", "measured": {"ttft_ms": 3, "tpot_ms": 4}, "split": "fit",
     "scenario": {"model": "llama-3.1-8b", "cluster": "h100-8", "plan": {"tp": 2},
      "workload": {"kind": "static_batch", "batch": 4, "input_tokens": 64, "output_tokens": 8}}},
    {"id": "</script>", "group": "g", "measured": {"ttft_ms": 3}, "scenario": {
      "model": "llama-3.1-8b", "cluster": "h100-8",
      "workload": {"kind": "static_batch", "batch": 2000000, "input_tokens": 64,
                   "output_tokens": 8}}}]})",
                          "t.json", false, catalogue)
                          .points;
  validation.results = simulate(validation.points);
  validation.errors = trace_errors(validation.points, validation.results);
  validation.groups = group_errors(validation.errors);
  validation.skipped = {{"later", "workload kind \"training\" is not simulated yet"}};
  return validation;
}

}  // namespace

TEST_CASE("the data of the page has every figure with its regime, and no name can end the script") {
  const std::string text = validation_page_data(example());
  CHECK(text.find('<') == std::string::npos);
  const auto data = nlohmann::json::parse(text);
  CHECK(data["metrics"] == nlohmann::json{"tpot_ms", "ttft_ms"});
  REQUIRE(data["figures"].size() == 3);
  const auto& tpot = data["figures"][0];
  CHECK(tpot["id"] == "one");
  CHECK(tpot["batch"] == 4);
  CHECK(tpot["context"] == 64 + 8);
  CHECK(tpot["tp"] == 2);
  CHECK(tpot["pp"] == 1);
  CHECK(data["figures"][2]["simulated"].is_null());
  CHECK(data["figures"][2]["feasible"] == false);
}

TEST_CASE("the page stands alone and shows the farthest points with breakdown and provenance") {
  const std::string page = validation_page(example(), "against <b>", {"9.9", "tradewind validate"});
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("{{") == std::string::npos);
  CHECK_THAT(page,
             Contains("A &amp; B") && Contains("against &lt;b&gt;") && Contains("Stands on: "));
  CHECK_THAT(page,
             Contains("infeasible: ") && Contains("gate_up_gemm") && Contains("not simulated"));
  CHECK_THAT(page, Contains("2 points, 3 figures, 3 groups"));
}
