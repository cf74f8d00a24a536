#include "sim/report/table.h"

#include <numeric>
#include <sstream>

#include "sim/report/labels.h"
#include "sim/report/number_text.h"
#include "sim/report/time_groups.h"
#include "tests/catch.h"
#include "tests/report/made_up.h"

namespace {

using namespace tradewind;

void check_width(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(report::column_count(line) <= report::kTableWidth);
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("numbers for people have thousands groups and four digits") {
  CHECK(report::grouped(0) == "0");
  CHECK(report::grouped(999) == "999");
  CHECK(report::grouped(1'234'567) == "1,234,567");
  CHECK(report::grouped(-1234) == "-1,234");
  CHECK(report::short_number(12345.6) == "12,346");
  CHECK(report::short_number(999.97) == "1,000");
  CHECK(report::short_number(301.24) == "301.2");
  CHECK(report::short_number(12.345678) == "12.35");
  CHECK(report::short_number(std::optional<double>()) == "-");
}

TEST_CASE("a bar is as long as its share") {
  CHECK(report::bar(0.5, 10) == "█████");
  CHECK(report::bar(0.25, 10) == "██▌");
  CHECK(report::bar(0, 10).empty());
  CHECK(report::column_count(report::bar(7, 10)) == 10);
}

TEST_CASE("text is cut or filled to its width by characters, not bytes") {
  CHECK(report::left_aligned("█", 3) == "█  ");
  CHECK(report::left_aligned("abcdefgh", 6) == "abc...");
  CHECK(report::right_aligned("█", 3) == "  █");
}

TEST_CASE("every row of a breakdown is in one group, so that the groups sum to the makespan") {
  const workload::Result result = testing::made_up_result(1);
  const auto groups = report::time_groups(result);
  CHECK(groups[0] == Approx(50.0 / 3));  // sums of doubles: exact to rounding
  CHECK(groups[1] == Approx(10.0 / 3));
  CHECK(groups[2] == Approx(20.0 / 3));
  CHECK(groups[3] == Approx(20.0 / 3));
}

TEST_CASE("the table of a run names units, memory, time and trust within its width") {
  const auto scenario = testing::scenario_with({{"plan.tp", 4}, {"plan.pp", 2}});
  const std::string text = report::result_table(scenario, testing::made_up_result(3));
  for (const char* part :
       {"TP4 PP2 DP1", "ttft_ms", "tokens/s/device", "KV cache", "gate_up_gemm", "50.0 %", "fitted",
        "Speed of light", "in flight ms", "note: overlap: a \"made up\" note"}) {
    INFO(part);
    CHECK(contains(text, part));
  }
  check_width(text);
}

TEST_CASE("the table of an infeasible run says why and shows no metrics") {
  workload::Result result;
  result.feasible = false;
  result.reason = "tp 3 does not divide 32 heads";
  const std::string text = report::result_table(testing::scenario_with({}), result);
  CHECK(contains(text, "INFEASIBLE: tp 3 does not divide 32 heads"));
  CHECK_FALSE(contains(text, "ttft_ms"));
}

TEST_CASE("the table of a sweep ranks by each goal and stays within its width") {
  study::SweepResults results = testing::made_up_sweep();
  results.axes.push_back("runtime");
  for (study::Point& point : results.points) {
    point.axis_values.push_back("\"a runtime with quite a long name\"");
  }
  const std::string text = report::sweep_table(results);
  CHECK(contains(text, "made up: 32 points"));
  CHECK(contains(text, "Best for latency (lowest TPOT)"));
  CHECK(contains(text, "Best for throughput"));
  CHECK(contains(text, "Infeasible"));
  check_width(text);
}

TEST_CASE("a family is the plan and every axis but the batch") {
  study::SweepResults results;
  results.axes = {"plan.tp", "workload.batch", "workload.input_tokens", "runtime"};
  study::Point point = testing::made_up_point(4, 2, 8);
  point.axis_values = {"4", "8", "1024", "\"vllm\""};
  CHECK(report::family_label(results, point) == "TP4 PP2 DP1 input_tokens=1024 vllm");
  CHECK(report::family_label(results, point, "workload.input_tokens") == "TP4 PP2 DP1 vllm");
}
