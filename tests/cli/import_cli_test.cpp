#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/cli/program.h"

using namespace tradewind::testing;
using Catch::Matchers::Contains;

namespace {

const std::string kResult =
    R"({"duration": 2.0, "completed": 4, "total_input_tokens": 256, "total_output_tokens": 32,
        "request_rate": "inf", "max_concurrency": null, "mean_ttft_ms": 12.5, "mean_tpot_ms": 4.0,
        "output_throughput": 16.0})";

/// And no file.
void check_refused(const Folder& folder, const Outcome& outcome, const std::string& says) {
  check_refused(outcome, says);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "t.json"));
}

}  // namespace

TEST_CASE("an imported result is a trace that validate compares") {
  const Folder folder;
  folder.write("s.json", kScenario);
  folder.write("r.json", kResult);
  const Outcome outcome = folder.run(
      "import vllm-bench r.json --scenario s.json --group mine --split fit --out t.json");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.empty());
  CHECK(outcome.error.empty());
  const Outcome compared = folder.run("validate --traces t.json --format json");
  CHECK((compared.exit_code == 0 || compared.exit_code == 3));
  const auto points = nlohmann::json::parse(compared.out)["points"];
  REQUIRE(points.size() == 4);  // ttft, tpot, throughput, makespan
  CHECK(points[0]["group"] == "mine");
  CHECK(points[0]["split"] == "fit");
  const Outcome printed = folder.run("import vllm-bench r.json --scenario s.json --out -");
  CHECK(nlohmann::json::parse(printed.out)["points"].size() == 1);
}

TEST_CASE("an imported nccl-tests log is a kernel CSV that validate compares") {
  const Folder folder;
  std::string log = "# Collective test starting: all_reduce_perf\n";
  for (int i = 0; i < 8; ++i) {
    log += "#  Rank  " + std::to_string(i) + " Group 0 Pid 1 on host device 0 [0x1] NVIDIA H100\n";
  }
  log +=
      "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
      "67108864 33554432 bfloat16 sum -1 400 167.77 293.6 0 410 163.68 286.4 0\n"
      "# Out of bounds values : 0 OK\n";
  folder.write("log.txt", log);
  CHECK(folder.run("import nccl-tests log.txt --out k.csv").exit_code == 0);
  const Outcome compared = folder.run("validate --traces k.csv --format json");
  CHECK(nlohmann::json::parse(compared.out)["points"].size() == 2);
}

TEST_CASE("import lists its formats, also in its help") {
  const Folder folder;
  for (const char* arguments : {"import --list", "import --help"}) {
    const Outcome outcome = folder.run(arguments);
    CHECK(outcome.exit_code == 0);
    for (const char* format : {"aiperf", "kineto", "mlperf", "nccl-tests", "sglang-bench",
                               "trtllm-bench", "vllm-bench"}) {
      CHECK_THAT(outcome.out, Contains(format));
    }
  }
}

TEST_CASE("a bad import writes nothing and says why in one line") {
  const Folder folder;
  folder.write("s.json", kScenario);
  folder.write("r.json", kResult);
  folder.write("cut.json", kResult.substr(0, 90));
  const auto refused = [&](const std::string& arguments, const std::string& says) {
    check_refused(folder, folder.run("import " + arguments), says);
  };
  refused("vllm-bnech r.json --scenario s.json --out t.json", "did you mean \"vllm-bench\"?");
  refused("vllm-bench cut.json --scenario s.json --out t.json", "cut.json: is not JSON: line 2");
  refused("vllm-bench none.json --scenario s.json --out t.json", "none.json: can't read");
  refused("vllm-bench . --scenario s.json --out t.json", "is a folder");
  refused("vllm-bench r.json --out t.json", "--scenario");
  refused("vllm-bench r.json --scenario s.json --op all_reduce --out t.json", "--op");
  refused("vllm-bench - --scenario s.json --out t.json", "stdin: is empty");
  refused("vllm-bench - --scenario - --out t.json", "stdin can't be");
  refused("nccl-tests r.json --scenario s.json --out t.json", "--scenario");
  refused("nccl-tests r.json --out t.json", "has no table");
  refused("vllm-bench r.json --scenario s.json", "--out is needed");
  refused("vllm-bench r.json --scenario s.json --split train --out t.json", "--split");
}
