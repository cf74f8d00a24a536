#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/cli/program.h"

using namespace tradewind::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("run --compare prints the strategies side by side, and JSON with their results") {
  const Folder folder;
  folder.write("s.json", kScenario);
  const std::string command = "run s.json --compare vanilla,slicing,decompose,flash";
  const Outcome table = folder.run(command);
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, Contains("vanilla") && Contains("decompose") && Contains("ttft_ms") &&
                            Contains("exposed_communication_ms") && Contains("latency reduction") &&
                            Contains("exposed reduction") && Contains("limited by"));
  const Outcome json = folder.run(command + " --format json");
  CHECK(json.exit_code == 0);
  const auto strategies = nlohmann::json::parse(json.out)["strategies"];
  REQUIRE(strategies.size() == 4);
  CHECK(strategies[0]["latency_reduction"] == 0.0);
  // The same as each strategy's run alone.
  const Outcome alone = folder.run("run s.json --set plan.overlap=flash --format json");
  CHECK(strategies[3]["result"]["metrics"] == nlohmann::json::parse(alone.out)["metrics"]);
}

TEST_CASE("run --compare --report writes one page") {
  const Folder folder;
  folder.write("s.json", kScenario);
  CHECK(folder.run("run s.json --compare vanilla,flash:4 --report c.html").exit_code == 0);
  const std::string page = slurp(folder.path() / "c.html");
  CHECK_THAT(page, Contains("<svg") && Contains("flash:4") && Contains("</html>"));
}

TEST_CASE("a comparison that can't be made is refused in one line and writes nothing") {
  const Folder folder;
  folder.write("s.json", kScenario);
  const auto refused = [&](const std::string& options, const std::string& says) {
    check_refused(folder.run("run s.json " + options), says);
    CHECK_FALSE(fs::exists(folder.path() / "c.html"));
  };
  refused("--compare vanilla,flsh --report c.html", "did you mean \"flash\"?");
  refused("--compare flash:0", "slices");
  refused("--compare flash,flash", "named twice");
  refused("--report c.html", "--compare");
  refused("--compare flash --timeline t.json", "--timeline");
}

TEST_CASE("a comparison shows infeasible plans; none feasible is exit code 4") {
  const Folder folder;
  folder.write("s.json", kScenario);
  const Outcome outcome = folder.run("run s.json --compare vanilla,flash --set plan.tp=3");
  CHECK(outcome.exit_code == 4);
  CHECK_THAT(outcome.out, Contains("INFEASIBLE") && Contains("does not divide"));
}
