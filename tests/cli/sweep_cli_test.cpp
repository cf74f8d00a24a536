#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.h"
#include "tests/cli/program.h"

using namespace tradewind::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

std::string sweep_of(const std::string& axes) {
  return "{\"base\": " + kScenario + ", \"axes\": " + axes + "}";
}

const std::string kAxes = R"({"plan.tp": [1, 2, 3, 8], "workload.batch": [1, 16, 100000]})";

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("a sweep writes a row a point, infeasible ones too, and a self-contained report") {
  const Folder folder;
  folder.write("sweep.json", sweep_of(kAxes));
  const Outcome outcome = folder.run("sweep sweep.json --out out");
  CHECK(outcome.exit_code == 0);
  const std::string csv = slurp(folder.path() / "out/results.csv");
  CHECK(lines(csv) == 13);
  CHECK(csv.starts_with("plan.tp,workload.batch,feasible,reason,ttft_ms,tpot_ms,"));
  CHECK_THAT(csv, Contains("does not divide") && Contains("out of memory"));
  const std::string jsonl = slurp(folder.path() / "out/results.jsonl");
  CHECK(lines(jsonl) == 12);
  CHECK(nlohmann::json::parse(jsonl.substr(0, jsonl.find('\n')))["axes"]["plan.tp"] == 1);
  const std::string html = slurp(folder.path() / "out/report.html");
  CHECK_THAT(html, Contains("<html") && Contains("</html>"));
  CHECK(html.find("src=\"http") == std::string::npos);
  CHECK(html.find("href=\"http") == std::string::npos);
  for (const auto& entry : fs::directory_iterator(folder.path() / "out")) {
    CHECK(entry.path().filename().string().find("tmp") == std::string::npos);
    CHECK(entry.path().filename().string().find("partial") == std::string::npos);
  }
}

TEST_CASE("the number of jobs changes no byte of the results") {
  const Folder folder;
  folder.write("sweep.json", sweep_of(kAxes));
  REQUIRE(folder.run("sweep sweep.json --out one --jobs 1").exit_code == 0);
  REQUIRE(folder.run("sweep sweep.json --out two --jobs 2").exit_code == 0);
  for (const char* file : {"results.csv", "results.jsonl"}) {
    CHECK(slurp(folder.path() / "one" / file) == slurp(folder.path() / "two" / file));
  }
}

TEST_CASE("an interrupted sweep resumes to the same bytes") {
  const Folder folder;
  folder.write("sweep.json", sweep_of(kAxes));
  REQUIRE(folder.run("sweep sweep.json --out whole").exit_code == 0);
  const std::string whole = slurp(folder.path() / "whole/results.jsonl");
  fs::create_directory(folder.path() / "cut");
  // Three points and a half, as an interruption leaves them.
  std::size_t cut = 0;
  for (int i = 0; i < 3; ++i) cut = whole.find('\n', cut) + 1;
  folder.write("cut/results.partial.jsonl", whole.substr(0, cut + 40));
  REQUIRE(folder.run("sweep sweep.json --out cut --resume").exit_code == 0);
  CHECK(slurp(folder.path() / "cut/results.jsonl") == whole);
  CHECK(slurp(folder.path() / "cut/results.csv") == slurp(folder.path() / "whole/results.csv"));
}

TEST_CASE("shards together are the whole sweep") {
  const Folder folder;
  folder.write("sweep.json", sweep_of(kAxes));
  REQUIRE(folder.run("sweep sweep.json --out whole").exit_code == 0);
  std::vector<std::string> all;
  for (const char* shard : {"0", "1", "2"}) {
    REQUIRE(folder.run(std::string("sweep sweep.json --out ") + shard + " --shard " + shard + "/3")
                .exit_code == 0);
    std::istringstream rows(slurp(folder.path() / shard / "results.csv"));
    std::string row;
    std::getline(rows, row);
    while (std::getline(rows, row)) all.push_back(row);
  }
  std::istringstream rows(slurp(folder.path() / "whole/results.csv"));
  std::string row;
  std::getline(rows, row);
  std::vector<std::string> whole;
  while (std::getline(rows, row)) whole.push_back(row);
  std::sort(all.begin(), all.end());
  std::sort(whole.begin(), whole.end());
  CHECK(all == whole);
}

TEST_CASE("a bad sweep writes nothing") {
  const Folder folder;
  const auto refused = [&](const std::string& text, const std::string& says) {
    folder.write("bad.json", text);
    const Outcome outcome = folder.run("sweep bad.json --out out");
    CHECK(outcome.exit_code == 2);
    CHECK(lines(outcome.error) == 1);
    CHECK_THAT(outcome.error, Contains(says));
    CHECK_FALSE(fs::exists(folder.path() / "out"));
  };
  refused("{}", "base");
  refused(sweep_of(R"({"plan.tp": [1, 0]})"), "/plan/tp");
  refused(sweep_of(R"({"plan.tpp": [1]})"), "did you mean \"tp\"?");
  refused(sweep_of(R"({"plan.tp": 4})"), "/axes/plan.tp");
  std::string many = "1";
  for (int i = 2; i <= 100000; ++i) many.append(",").append(std::to_string(i));
  refused(sweep_of("{\"workload.batch\": [" + many + "]}"), "/axes");
}

TEST_CASE("an output folder that can't be made is refused") {
  const Folder folder;
  folder.write("sweep.json", sweep_of(R"({"plan.tp": [1]})"));
  folder.write("file", "in the way");
  const Outcome outcome = folder.run("sweep sweep.json --out file/out");
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.error, Contains("file/out"));
  CHECK(folder.run("sweep sweep.json --out out --shard 3/3").exit_code == 2);
  CHECK(folder.run("sweep sweep.json --out out --jobs 0").exit_code == 2);
}
