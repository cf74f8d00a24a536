#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/cli/program.h"

using namespace tradewind::testing;
using Catch::Matchers::Contains;

TEST_CASE("run prints a table for people and JSON for programs") {
  const Folder folder;
  const std::string file = folder.write("s.json", kScenario);
  const Outcome table = folder.run("run s.json");
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, Contains("TTFT") || Contains("ttft"));
  const Outcome json = folder.run("run s.json --format json");
  CHECK(json.exit_code == 0);
  CHECK(json.error.empty());
  const auto result = nlohmann::json::parse(json.out);
  for (const char* key :
       {"scenario", "feasible", "reason", "memory", "metrics", "breakdown", "simulator"}) {
    CHECK(result.contains(key));
  }
  CHECK(result["feasible"] == true);
  CHECK(result["reason"].is_null());
  CHECK(result["scenario"]["plan"]["tp"] == 2);
  CHECK_FALSE(result["simulator"].contains("wall_s"));
}

TEST_CASE("a resolved scenario run again gives the same bytes") {
  const Folder folder;
  folder.write("s.json", kScenario);
  const Outcome first = folder.run("run s.json --format json");
  folder.write("again.json", nlohmann::ordered_json::parse(first.out)["scenario"].dump());
  CHECK(folder.run("run again.json --format json").out == first.out);
}

TEST_CASE("run --full gives the metrics of the folded run") {
  const Folder folder;
  folder.write("s.json", kScenario);
  const auto folded = nlohmann::json::parse(folder.run("run s.json --format json").out);
  const auto full = nlohmann::json::parse(folder.run("run s.json --format json --full").out);
  CHECK(folded["metrics"] == full["metrics"]);
}

TEST_CASE("run --set reads JSON, else text, and opens shorthands") {
  const Folder folder;
  folder.write("s.json", kScenario);
  const auto result =
      nlohmann::json::parse(folder
                                .run("run s.json --format json --set plan.tp=4 --set runtime=ideal "
                                     "--set cluster.override.link.bandwidth_bytes_per_s=1e11")
                                .out);
  CHECK(result["scenario"]["plan"]["tp"] == 4);
  CHECK(result["scenario"]["runtime"] == "ideal");
  check_refused(folder.run("run s.json --set plan.tp"), "is not PATH=VALUE");
  check_refused(folder.run("run s.json --set plan.tpp=2"), "did you mean \"tp\"?");
}

TEST_CASE("an infeasible plan is an answer with a reason, exit code 4") {
  const Folder folder;
  folder.write("s.json", kScenario);
  const Outcome outcome = folder.run("run s.json --format json --set plan.tp=3");
  CHECK(outcome.exit_code == 4);
  const auto result = nlohmann::json::parse(outcome.out);
  CHECK(result["feasible"] == false);
  CHECK_THAT(result["reason"].get<std::string>(), Contains("does not divide"));
  CHECK(result["metrics"]["ttft_ms"].is_null());
}

TEST_CASE("bad input is refused in one line, whatever it is") {
  const Folder folder;
  folder.write("s.json", kScenario);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = kScenario;
    text.replace(text.find(from), from.size(), to);
    folder.write("bad.json", text);
    return folder.run("run bad.json");
  };
  check_refused(folder.run("run absent.json"), "absent.json");
  check_refused(folder.run("run ."), "is a folder");
  check_refused(with("{\"model\"", "{\"model"), "is not JSON: line 1");
  check_refused(with("\"batch\": 4", "\"batch\": 1e300"), "/workload/batch");
  check_refused(with("\"batch\": 4", "\"batch\": NaN"), "is not JSON");
  check_refused(with("\"batch\": 4", "\"batch\": 9223372036854775808"), "/workload/batch");
  check_refused(with("\"batch\": 4", "\"batch\": -4"), "/workload/batch");
  check_refused(with("\"batch\": 4", "\"batch\": \"4\""), "expected an integer");
  check_refused(with("\"batch\"", "\"batsh\""), "/workload");
  check_refused(with("llama-3.1-8b", "llama-3.1-9b"), "did you mean \"llama-3.1-8b\"?");
  check_refused(with("h100-8", "h100-80"), "did you mean \"h100-8\"?");
  folder.write("model.json", R"({"model_type": "llama", "num_hidden_layers": 2})");
  check_refused(with("llama-3.1-8b", "./model.json"), "hidden_size");
}

TEST_CASE("bad usage is refused in one line") {
  const Folder folder;
  check_refused(folder.run("rum x.json"), "did you mean \"run\"?");
  check_refused(folder.run("run x.json --fromat json"), "--fromat");
  check_refused(folder.run("run"), "scenario");
  check_refused(folder.run("run x.json --format yaml"), "yaml");
  check_refused(folder.run("list model"), "model");
  check_refused(folder.run("show hardware mi325"), "did you mean");
  check_refused(folder.run("--data /nonexistent list models"), "/nonexistent");
}

TEST_CASE("list and show know the shipped parts and their provenance") {
  const Folder folder;
  CHECK_THAT(folder.run("list models").out, Contains("llama-3.1-405b") && Contains("405.9B"));
  CHECK_THAT(folder.run("list hardware").out, Contains("mi355x-8") && Contains("full mesh"));
  CHECK_THAT(folder.run("list runtimes").out, Contains("tensorrt-llm"));
  CHECK_THAT(folder.run("list schedulers").out, Contains("vllm-v0"));
  CHECK_THAT(folder.run("list datasets").out, Contains("longalpaca") && Contains("9092"));
  CHECK_THAT(folder.run("show model llama-3.1-70b").out, Contains("70553706496"));
  CHECK_THAT(folder.run("show hardware h100-sxm").out, Contains("datasheet"));
  CHECK_THAT(folder.run("show runtime paper").out, Contains("matrix_share"));
  CHECK(folder.run("--help").exit_code == 0);
  CHECK(folder.run("run --help").exit_code == 0);
}

TEST_CASE("the README's tables are what the program prints (tools/update-readme)") {
  const Folder folder;
  const std::string readme = slurp(TRADEWIND_SOURCE_DIR "/README.md");
  for (const std::string command : {"list accuracy", "validate"}) {
    INFO(command);
    const Outcome outcome = folder.run("--data " TRADEWIND_SOURCE_DIR " " + command);
    REQUIRE(outcome.exit_code == 0);
    CHECK(readme.find(outcome.out) != std::string::npos);
  }
}

TEST_CASE("a timeline is a trace that Perfetto can open") {
  const Folder folder;
  folder.write("s.json", kScenario);
  REQUIRE(folder.run("run s.json --timeline t.json").exit_code == 0);
  const auto trace = nlohmann::json::parse(slurp(folder.path() / "t.json"));
  CHECK(trace["traceEvents"].size() > 100);
}
