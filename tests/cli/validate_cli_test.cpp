#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/cli/program.h"

using namespace tradewind::testing;
using Catch::Matchers::Contains;

namespace {

/// A trace of one point, measured at so many milliseconds.
std::string trace(double makespan_ms) {
  const nlohmann::json point = {{"id", "p"},
                                {"group", "g"},
                                {"scenario", nlohmann::json::parse(kScenario)},
                                {"measured", {{"makespan_ms", makespan_ms}}}};
  return nlohmann::json{{"source", "us"}, {"points", {point}}}.dump();
}

double simulated(const Folder& folder) {
  folder.write("s.json", kScenario);
  const Outcome run = folder.run("run s.json --format json");
  return nlohmann::json::parse(run.out)["metrics"]["makespan_ms"];
}

}  // namespace

TEST_CASE("validate exits 0 within the tolerance, 3 outside, 2 for a trace it can't read") {
  const Folder folder;
  const double answer = simulated(folder);
  folder.write("near.json", trace(answer / 1.2)), folder.write("far.json", trace(answer / 1.3));
  const Outcome near = folder.run("validate --traces near.json --format json");
  CHECK(near.exit_code == 0);
  const auto json = nlohmann::json::parse(near.out);
  CHECK(json["passed"] == true);
  CHECK(json["points"][0]["relative_error"].get<double>() == Approx(0.2));
  CHECK(json["groups"][0]["mape"].get<double>() == Approx(0.2));
  const Outcome far = folder.run("validate --traces far.json");
  CHECK(far.exit_code == 3);
  CHECK_THAT(far.out, Contains("1 figures outside their tolerance"));
  folder.write("bad.json", R"({"points": [{"id": "p"}]})");
  const Outcome bad = folder.run("validate --traces bad.json");
  CHECK(bad.exit_code == 2);
  CHECK(bad.out.empty());
  CHECK_THAT(bad.error, Contains("bad.json: /points/0"));
}

TEST_CASE("validate --against holds a point to where it stood, and writes the page") {
  const Folder folder;
  const double answer = simulated(folder);
  folder.write("t.json", trace(answer / 1.3));
  CHECK(folder.run("validate --traces t.json --against b.json --update").exit_code == 0);
  const Outcome same = folder.run("validate --traces t.json --against b.json --out out");
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.out, Contains("against the baseline: passed"));
  CHECK_THAT(slurp(folder.path() / "out/validation.html"), Contains("</html>"));
  folder.write("t.json", trace(answer / 1.31));
  const Outcome stale = folder.run("validate --traces t.json --against b.json");
  CHECK(stale.exit_code == 2);
  CHECK_THAT(stale.error, Contains("b.json: /points/0") && Contains("--update"));
}
