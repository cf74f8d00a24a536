#include "sim/report/html.h"

#include <nlohmann/json.hpp>
#include <regex>

#include "sim/report/assets.h"
#include "sim/report/page_data.h"
#include "sim/report/verdict.h"
#include "tests/catch.h"
#include "tests/report/made_up.h"

namespace {

using namespace tradewind;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// The page without Chart.js, whose licence line has a link.
std::string own_page(const study::SweepResults& results) {
  std::string page = report::html_report(results, {"1", "tradewind sweep x.json"});
  const std::string chart(report::chart_js());
  const std::size_t at = page.find(chart);
  REQUIRE(at != std::string::npos);
  return page.erase(at, chart.size());
}

nlohmann::json data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

}  // namespace

TEST_CASE("the report needs no other file and no network") {
  const std::string page = own_page(testing::made_up_sweep());
  CHECK_FALSE(std::regex_search(page, std::regex("(src|href)\\s*=")));
  CHECK(count_of(page, "http") == 0);
  CHECK(count_of(page, "@import") == 0);
  CHECK(count_of(page, "{{") == 0);
  CHECK(count_of(page, "<script") == count_of(page, "</script>"));
}

TEST_CASE("the data of the page has one element a point in every column") {
  const study::SweepResults results = testing::made_up_sweep();
  const nlohmann::json data = data_of(own_page(results));
  CHECK(data["x"] == "batch");
  CHECK(data["families"].size() == 8);
  CHECK(data["groups"].size() == 4);
  REQUIRE(data["dimensions"].size() == 3);
  CHECK(data["dimensions"][0]["values"] == nlohmann::json({"1", "2", "4", "8"}));
  for (const auto& [name, column] : data["points"].items()) {
    INFO(name);
    if (name == "dimensions") continue;
    CHECK(column.size() == results.points.size());
  }
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    CHECK(data["points"]["x"][i] ==
          std::get<scenario::StaticBatch>(results.points[i].scenario.workload).batch);
  }
}

TEST_CASE("names can't break out of the page") {
  study::SweepResults results = testing::made_up_sweep();
  results.name = "</script><script>alert(1)</script> & \"co\"";
  results.points.back().result.feasible = false;
  results.points.back().result.reason = "<!-- </script> <b>no</b>";
  const std::string page = own_page(results);
  CHECK(count_of(page, "<script>alert") == 0);
  CHECK(count_of(page, "<b>no") == 0);
  CHECK(count_of(page, "<script") == 3);
  CHECK(data_of(page)["name"] == results.name);
}

TEST_CASE("the verdict names the best plan for each goal and where its time goes") {
  const auto findings = report::findings(testing::made_up_sweep());
  REQUIRE(findings.size() == 3);
  // tpot = 20/tp + 0.3 tp + 0.02 batch is least for tp 8 and batch 1.
  CHECK(findings[0].plan == "TP8 PP1 DP1, batch 1");
  // batch/(tp tpot) of the largest feasible batches (batch < 128 tp): tp 1 64/21.6 = 2.97,
  // tp 2 64/(2 x 11.9) = 2.69, tp 4 256/(4 x 11.3) = 5.65, tp 8 256/(8 x 10.0) = 3.19.
  CHECK(findings[1].plan == "TP4 PP1 DP1, batch 256");
  CHECK(findings[0].why.find("50.0 % compute, 10.0 % exposed communication") != std::string::npos);
  CHECK(findings[0].why.find("The next plan, ") != std::string::npos);
}

TEST_CASE("a sweep without feasible points, or without points, still makes a page") {
  study::SweepResults results = testing::made_up_sweep();
  for (study::Point& point : results.points) {
    point.result = {};
    point.result.feasible = false;
    point.result.reason = "no";
  }
  CHECK(count_of(own_page(results), "No point of this sweep is feasible") == 1);
  CHECK(data_of(own_page({}))["points"]["family"].empty());
}

TEST_CASE("another axis of numbers takes the place of the batch, which then names no family") {
  study::SweepResults results = testing::made_up_sweep();
  results.points.resize(2);
  results.axes = {"workload.input_tokens"};
  results.points[0].axis_values = {"1024"};
  results.points[1].axis_values = {"2048"};
  results.points[1].scenario = results.points[0].scenario;
  const auto data = nlohmann::json::parse(report::page_data(results));
  CHECK(data["x"] == "input_tokens");
  CHECK(data["families"].size() == 1);
  CHECK(data["points"]["x"] == nlohmann::json({1024, 2048}));
}
