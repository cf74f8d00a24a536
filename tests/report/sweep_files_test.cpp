#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/core/csv.h"
#include "sim/report/result_json.h"
#include "sim/report/sweep_csv.h"
#include "sim/report/sweep_jsonl.h"
#include "tests/catch.h"
#include "tests/report/made_up.h"

namespace {

using namespace tradewind;

std::size_t column_of(const CsvRecord& header, const std::string& name) {
  const auto found = std::find(header.fields.begin(), header.fields.end(), name);
  REQUIRE(found != header.fields.end());
  return static_cast<std::size_t>(found - header.fields.begin());
}

}  // namespace

TEST_CASE("results.csv has axes, feasible, reason and metrics, one row a point") {
  const study::SweepResults results = testing::made_up_sweep();
  const auto records = parse_csv(report::sweep_csv(results), "results.csv");
  REQUIRE(records.size() == results.points.size() + 1);
  const CsvRecord& header = records.front();
  const std::vector<std::string> begin(header.fields.begin(), header.fields.begin() + 6);
  CHECK(begin == std::vector<std::string>{"plan.tp", "plan.pp", "workload.batch", "feasible",
                                          "reason", "ttft_ms"});
  for (const CsvRecord& record : records) CHECK(record.fields.size() == header.fields.size());
  column_of(header, "goodput_requests_per_s");
}

TEST_CASE("a number in results.csv reads back to the same bits and null is an empty cell") {
  study::SweepResults results = testing::made_up_sweep();
  results.points[0].result.metrics.mfu.reset();
  const auto records = parse_csv(report::sweep_csv(results), "results.csv");
  const std::string& cell = records[1].fields[column_of(records[0], "tpot_ms")];
  double number = 0;
  std::from_chars(cell.data(), cell.data() + cell.size(), number);
  CHECK(number == *results.points[0].result.metrics.tpot_ms);
  CHECK(records[1].fields[column_of(records[0], "mfu")].empty());
}

TEST_CASE("commas, quotes and line breaks in a cell survive (RFC 4180)") {
  study::SweepResults results;
  results.axes = {"model", "cluster"};
  study::Point point = testing::made_up_point(1, 1, 1);
  point.axis_values = {"\"a, \\\"b\\\"\"", "{\"node\":\"h100-8\",\"nodes\":2}"};
  point.result.feasible = false;
  point.result.reason = "too big,\nby \"far\"";
  results.points = {point};
  const auto records = parse_csv(report::sweep_csv(results), "results.csv");
  REQUIRE(records.size() == 2);
  CHECK(records[1].fields[0] == "a, \"b\"");
  CHECK(records[1].fields[1] == "{\"node\":\"h100-8\",\"nodes\":2}");
  CHECK(records[1].fields[2] == "false");
  CHECK(records[1].fields[3] == "too big,\nby \"far\"");
}

TEST_CASE("a line of results.jsonl is the axes, then the object of run") {
  const study::SweepResults results = testing::made_up_sweep();
  std::istringstream lines(report::sweep_jsonl(results, "1"));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto json = nlohmann::ordered_json::parse(line);
    const study::Point& point = results.points.at(count);
    CHECK(json.begin().key() == "axes");
    CHECK(json["axes"]["plan.tp"] == point.scenario.plan.tp);
    auto run = json;
    run.erase("axes");
    CHECK(run.dump() == report::result_json(point.scenario, point.result, "1").dump());
  }
  CHECK(count == results.points.size());
}
