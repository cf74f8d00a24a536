#include "sim/study/comparison.h"

#include <nlohmann/json.hpp>
#include <regex>

#include "sim/core/error.h"
#include "sim/report/block_timeline.h"
#include "sim/report/comparison_page.h"
#include "sim/report/comparison_text.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;

namespace {

study::Comparison compared(const std::string& list, const std::string& cluster = "h100-8",
                           int tp = 4) {
  const scenario::Scenario scenario = testing::scenario_with({{"runtime", "vllm"},
                                                              {"cluster", cluster},
                                                              {"plan.tp", tp},
                                                              {"model.num_hidden_layers", 2},
                                                              {"workload.batch", 16},
                                                              {"workload.input_tokens", 256}});
  return study::compare(scenario, study::read_strategies(list, scenario.plan.overlap));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("strategies are read with aliases and slices, and refused with the nearest name") {
  const auto read = study::read_strategies("none,commfuse:16,slicing", {});
  REQUIRE(read.size() == 3);
  CHECK(read[0].strategy == "vanilla");
  CHECK(read[1].strategy == "flash");
  CHECK(read[1].slices == 16);
  CHECK(read[2].slices == 0);
  CHECK_THROWS_WITH(study::read_strategies("vanilla,flsh", {}), Contains("did you mean \"flash\""));
  CHECK_THROWS_AS(study::read_strategies("vanilla,", {}), InputError);
  CHECK_THROWS_AS(study::read_strategies("flash:x", {}), InputError);
  CHECK_THROWS_WITH(study::read_strategies("flash,commfuse", {}), Contains("named twice"));
}

TEST_CASE("the limits of a pass sum to the pass that the run reports") {
  const study::Comparison comparison = compared("vanilla,slicing,decompose,flash");
  for (const study::Compared& strategy : comparison.strategies) {
    INFO(strategy.label);
    REQUIRE(strategy.limits.size() == 2);
    // The pass without the host's preparation of it: what the first token waits for besides.
    const double host_ms =
        *strategy.result.metrics.prefill_pass_ms - strategy.limits[0].total().milliseconds();
    const double vanilla_host_ms = *comparison.strategies[0].result.metrics.prefill_pass_ms -
                                   comparison.strategies[0].limits[0].total().milliseconds();
    CHECK(host_ms >= 0);
    CHECK(host_ms == Approx(vanilla_host_ms).margin(1e-9));  // a picosecond
    CHECK(strategy.limits[0].computation == comparison.strategies[0].limits[0].computation);
  }
  // Nothing of vanilla hides: its messages' latency and their bytes are all that is beyond.
  const auto& vanilla = comparison.strategies[0].limits[0].beyond;
  CHECK(vanilla[static_cast<std::size_t>(workload::Limit::small_slices)].ps == 0);
  CHECK(vanilla[static_cast<std::size_t>(workload::Limit::compute_units)].ps == 0);
  CHECK(vanilla[static_cast<std::size_t>(workload::Limit::link)].ps > 0);
}

TEST_CASE("reductions are against vanilla, wherever it stands") {
  const study::Comparison comparison = compared("flash,vanilla");
  CHECK(comparison.reference == 1);
  CHECK(study::latency_reduction(comparison, 1) == 0.0);
  CHECK(*study::latency_reduction(comparison, 0) ==
        Approx(1 - *comparison.strategies[0].result.metrics.ttft_ms /
                       *comparison.strategies[1].result.metrics.ttft_ms));
  CHECK(compared("flash,slicing").reference == 0);
}

TEST_CASE("the comparison as JSON holds each strategy's result") {
  const auto json =
      nlohmann::json::parse(report::comparison_json(compared("vanilla,flash:16"), "1"));
  REQUIRE(json["strategies"].size() == 2);
  const auto& flash = json["strategies"][1];
  CHECK(flash["strategy"] == "flash:16");
  CHECK(flash["result"]["scenario"]["plan"]["overlap"]["slices"] == 16);
  CHECK(flash["latency_reduction"].is_number());
  CHECK(flash["exposed_reduction"].is_number());
  CHECK(flash["limit"].is_string());
  CHECK(flash["limits"][0]["phase"] == "prefill");
  CHECK(flash["limits"][0]["beyond_ms"].contains("compute units"));
}

TEST_CASE("a plan without a collective is compared with notes, an infeasible one with its reason") {
  const study::Comparison alone = compared("vanilla,flash", "h100-8", 1);
  CHECK_THAT(report::comparison_table(alone), Contains("note: flash: "));
  CHECK_THAT(report::comparison_table(alone), Contains("computation"));
  const study::Comparison refused = compared("vanilla,flash", "h100-8", 3);
  CHECK_THAT(report::comparison_table(refused), Contains("flash: INFEASIBLE: "));
  CHECK_THAT(report::comparison_page(refused, {"1", "x"}), Contains("is not drawn"));
}

TEST_CASE("the timeline of a block is the engine's: lanes in order, slices covered, one end") {
  const study::Comparison comparison = compared("vanilla,flash", "mi300x-8");
  const report::BlockTimeline vanilla =
      report::block_timeline(comparison.strategies[0].scenario, 2);
  CHECK(vanilla.slices == 0);
  CHECK(vanilla.lanes.size() == 4);  // of two ranks: computation and communication
  const report::BlockTimeline flash = report::block_timeline(comparison.strategies[1].scenario, 2);
  CHECK(flash.slices == 4);       // one a rank
  CHECK(flash.lanes.size() > 4);  // a mesh: a lane for each peer
  for (const report::BlockTimeline::Lane& lane : flash.lanes) {
    Time end;
    for (const report::BlockTimeline::Task& task : lane.tasks) {
      CHECK(task.start >= end);
      end = task.finish;
      CHECK(end <= flash.makespan);
    }
  }
}

TEST_CASE("the page of a comparison needs nothing else and balances its elements") {
  const std::string page =
      report::comparison_page(compared("vanilla,slicing,decompose,flash"), {"1", "<tradewind>"});
  CHECK_FALSE(std::regex_search(page, std::regex("(src|href)\\s*=")));
  CHECK(count_of(page, "http") == 0);
  CHECK(count_of(page, "{{") == 0);
  CHECK(count_of(page, "<script") == 0);
  CHECK(count_of(page, "id=\"overlap\"") == 1);
  CHECK(count_of(page, "<svg") == 1);
  CHECK(count_of(page, "class=\"strategy\"") == 4);
  CHECK(count_of(page, "&lt;tradewind&gt;") == 1);
  for (const std::string element : {"g", "text", "svg", "table", "tr", "td", "section", "div"}) {
    INFO(element);
    CHECK(count_of(page, "<" + element + ">") + count_of(page, "<" + element + " ") ==
          count_of(page, "</" + element + ">"));
  }
}
