#include "validation/trace.h"

#include <unistd.h>

#include <fstream>

#include "sim/core/error.h"
#include "tests/catch.h"
#include "validation/trace_files.h"

using namespace tradewind;
using namespace tradewind::validation;
using Catch::Matchers::Contains;

namespace {

const std::string kScenario =
    R"({"model": "llama-3.1-8b", "cluster": "h100-8", "runtime": "vllm", "plan": {"tp": 1},
        "workload": {"kind": "static_batch", "batch": 1, "input_tokens": 64, "output_tokens": 8}})";

std::string point(const std::string& id, const std::string& rest) {
  return R"({"id": ")" + id + R"(", "scenario": )" + kScenario + ", " + rest + "}";
}

std::string one_line(std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

Traces parse(const std::string& points) {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  return parse_trace(R"({"source": "us", "points": [)" + points + "]}", "t.json", false, catalogue);
}

std::string complaint(const std::string& points) {
  try {
    parse(points);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

std::string write_temporary(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("tradewind-trace-test-" + std::to_string(getpid()) + name);
  std::ofstream(path) << text;
  return path.string();
}

}  // namespace

TEST_CASE("a point carries what it says, and what its document says for all") {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  const Traces traces = parse_trace(
      R"({"source": "us", "tolerance": {"ttft_ms": 0.4}, "points": [)" +
          point("a", R"("measured": {"ttft_ms": 3, "tpot_ms": 2}, "split": "fit", "group": "g",
                        "uncertainty": {"ttft_ms": 0.5}, "published": "2025")") +
          "," + point("b", R"("measured": {"makespan_ms": 9}, "uncertainty": 0.1)") + "]}",
      "folder/file.json", false, catalogue);
  REQUIRE(traces.points.size() == 2);
  const TracePoint& a = traces.points[0];
  CHECK(a.group == "g");
  CHECK(a.split == "fit");
  CHECK(a.source == "us");
  CHECK(a.place == "folder/file.json: /points/0");
  REQUIRE(a.measured.size() == 2);
  CHECK(a.measured[1].metric == "ttft_ms");
  CHECK(a.measured[1].uncertainty == 0.5);
  CHECK(a.measured[1].tolerance == 0.4);
  CHECK(a.measured[0].uncertainty == 0);
  CHECK_FALSE(a.measured[0].tolerance.has_value());
  const TracePoint& b = traces.points[1];
  CHECK(b.group == "file");
  CHECK(b.split == "check");
  CHECK(b.measured[0].uncertainty == 0.1);
}

TEST_CASE("profiles are shared between points") {
  const Traces traces = parse(point("a", R"("measured": {"ttft_ms": 3})") + "," +
                              point("b", R"("measured": {"ttft_ms": 3})"));
  CHECK(traces.points[0].scenario.model == traces.points[1].scenario.model);
  CHECK(traces.points[0].scenario.cluster == traces.points[1].scenario.cluster);
}

TEST_CASE("JSONL has one point a line and names the line") {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  const std::string good = one_line(point("a", R"("measured": {"ttft_ms": 3}, "source": "them")"));
  const Traces traces = parse_trace(good + "\r\n\n", "t.jsonl", true, catalogue);
  REQUIRE(traces.points.size() == 1);
  CHECK(traces.points[0].source == "them");
  CHECK(traces.points[0].place == "t.jsonl:1");
  CHECK_THROWS_WITH(parse_trace(good + "\n\n{\"id\": ", "t.jsonl", true, catalogue),
                    Contains("t.jsonl:3"));
}

TEST_CASE("what is wrong with a point is said with file, place and what is allowed") {
  CHECK_THAT(complaint(point("a", R"("measured": {"ttft_mss": 3})")),
             Contains("t.json: /points/0/measured") && Contains("did you mean \"ttft_ms\""));
  CHECK_THAT(complaint(point("a", R"("measured": {"ttft_ms": -3})")),
             Contains("/points/0/measured/ttft_ms: found -3") && Contains("positive"));
  CHECK_THAT(complaint(point("a", R"("measured": {"ttft_ms": 3}, "splt": "fit")")),
             Contains("did you mean \"split\""));
  CHECK_THAT(complaint(point("a", R"("measured": {"ttft_ms": 3}, "split": "chek")")),
             Contains("/points/0/split") && Contains("did you mean \"check\""));
  CHECK_THAT(complaint(point("a", R"("measured": {"ttft_ms": 3}, "uncertainty": {"tpt_ms": 1})")),
             Contains("did you mean \"tpot_ms\""));
  CHECK_THAT(complaint(point("a", R"("measured": {"ttft_ms": 3}, "uncertainty": -0.1)")),
             Contains("/points/0/uncertainty"));
  CHECK_THAT(complaint(point("a", R"("measured": {})")), Contains("/points/0/measured"));
  CHECK_THAT(complaint(R"({"id": "a", "measured": {"ttft_ms": 3}})"), Contains("\"scenario\""));
  CHECK_THAT(complaint(""), Contains("no points"));
  CHECK_THAT(complaint(R"({"id": "a", "measured": {"ttft_ms": 3}, "scenario": {"model": "gpt5"}})"),
             Contains("/points/0/scenario"));
  CHECK_THAT(complaint(R"({"id": "a", "measured": {"makespan_ms": 3}, "scenario":
                 {"model": "llama-3.1-8b", "cluster": "h100-8",
                  "workload": {"kind": "training", "sequence_length": 8, "micro_batch": 1,
                  "global_batch": 1, "of_a_kind": 1}}})"),
             Contains("of_a_kind"));
}

TEST_CASE("what tradewind does not simulate yet is skipped with the reason, the rest is compared") {
  const Traces traces = parse(
      R"({"id": "later", "measured": {"ttft_ms": 3}, "scenario": {"model": "llama-3.1-8b",
          "cluster": "h100-8", "plan": {"ep": 8}, "workload": {"kind": "static_batch", "batch": 1,
          "input_tokens": 2, "output_tokens": 3}}},)" +
      point("now", R"("measured": {"ttft_ms": 3})"));
  REQUIRE(traces.points.size() == 1);
  CHECK(traces.points[0].id == "now");
  REQUIRE(traces.skipped.size() == 1);
  CHECK(traces.skipped[0].id == "later");
  CHECK_THAT(traces.skipped[0].reason, Contains("plan.ep"));
}

TEST_CASE("two points of one id are an error that names both places") {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  const std::string line = one_line(point("same", R"("measured": {"ttft_ms": 3})"));
  const std::string one = write_temporary("1.jsonl", line), two = write_temporary("2.jsonl", line);
  CHECK_THROWS_WITH(read_traces({one, two}, catalogue),
                    Contains("same") && Contains(one + ":1") && Contains(two + ":1"));
}

TEST_CASE("files are told apart by what they are") {
  const std::string text = write_temporary("note.txt", "");
  CHECK_THROWS_WITH(find_measurements({text}), Contains("expected a trace"));
  const MeasurementFiles files = find_measurements({"a.csv", "b.jsonl", "c.json"});
  CHECK(files.kernel_csvs == std::vector<std::string>{"a.csv"});
  CHECK(files.traces == std::vector<std::string>{"b.jsonl", "c.json"});
}
