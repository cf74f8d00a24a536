#include <algorithm>
#include <filesystem>
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

/// Copies what the program reads, so that a test may change it.
std::string data_copy(const Folder& folder) {
  std::filesystem::create_directories(folder.path() / "data");
  for (const char* part : {"models", "hardware", "configs"}) {
    std::filesystem::copy(std::filesystem::path(TRADEWIND_SOURCE_DIR) / part,
                          folder.path() / "data" / part, std::filesystem::copy_options::recursive);
  }
  return "--data data ";
}

/// Multiplies a coefficient of every set of `op` on H100 in the copy.
void scale(const Folder& folder, const std::string& op, const std::string& name, double factor) {
  const std::string file = "data/hardware/accelerators/h100-sxm.json";
  nlohmann::json profile = nlohmann::json::parse(slurp(folder.path() / file));
  for (nlohmann::json& set : profile["kernels"]) {
    if (set["op"] != op) continue;
    nlohmann::json& value = set["coefficients"][name];
    value = value.get<double>() * factor;
  }
  folder.write(file, profile.dump());
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

TEST_CASE("a baseline that was edited and a trace that can't be are one clear line") {
  const Folder folder;
  const std::string good = trace(100);
  folder.write("t.json", good);
  folder.run("validate --traces t.json --against b.json --update");
  const auto with = [&](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  folder.write("edited.json",
               with(slurp(folder.path() / "b.json"), "\"within\":false", "\"within\":true"));
  check_refused(folder.run("validate --traces t.json --against edited.json"),
                "edited.json: /checksum: does not match");
  folder.write("bad.json", with(good, "makespan_ms", "makespan_mss"));
  check_refused(folder.run("validate --traces bad.json"), "did you mean \"makespan_ms\"");
  folder.write("bad.json", with(good, ":100.0", ":-100.0"));
  check_refused(folder.run("validate --traces bad.json"), "/points/0/measured/makespan_ms");
  folder.write("again.json", good);
  check_refused(folder.run("validate --traces t.json --traces again.json"), "\"p\"");
}

TEST_CASE("a coefficient changed by 20 % fails the gate of the program") {
  const Folder folder;
  const std::string validate =
      data_copy(folder) + "validate --traces t.json --against b.json --format json";
  nlohmann::json document = nlohmann::json::parse(
      R"({"points": [
        {"id": "few", "group": "few", "measured": {"tpot_ms": 1}, "scenario": {
          "model": "llama-3.1-70b", "cluster": "h100-8", "plan": {"tp": 8}, "workload":
          {"kind": "static_batch", "batch": 1, "input_tokens": 128, "output_tokens": 16}}},
        {"id": "cache", "group": "cache", "measured": {"tpot_ms": 1}, "scenario": {
          "model": "llama-3.1-8b", "cluster": "h100-8", "workload":
          {"kind": "static_batch", "batch": 64, "input_tokens": 4096, "output_tokens": 16}}},
        {"id": "many", "group": "many", "measured": {"ttft_ms": 1}, "scenario": {
          "model": "llama-3.1-70b", "cluster": "h100-8", "plan": {"tp": 8}, "workload":
          {"kind": "static_batch", "batch": 8, "input_tokens": 2048, "output_tokens": 2}}}]})");
  // Measured what the profile says, so that any change is one for the worse.
  folder.write("t.json", document.dump());
  const auto first =
      nlohmann::json::parse(folder.run("--data data validate --traces t.json --format json").out);
  for (std::size_t i = 0; i < 3; ++i) {
    auto& measured = document["points"][i]["measured"];
    measured.begin().value() = first["points"][i]["simulated"];
  }
  folder.write("t.json", document.dump());
  REQUIRE(folder.run(validate + " --update").exit_code == 0);
  REQUIRE(folder.run(validate).exit_code == 0);
  struct Change {
    const char *op, *coefficient;
    double factor;
  };
  for (const Change& change :
       {Change{"gemm", "matrix_efficiency", 0.8}, Change{"gemm", "bandwidth_efficiency", 1.2},
        Change{"attention_decode", "bandwidth_efficiency", 0.8},
        Change{"all_reduce", "one_shot_base_s", 1.2},
        Change{"elementwise", "launch_latency_s", 1.2}}) {
    CAPTURE(change.op, change.coefficient);
    scale(folder, change.op, change.coefficient, change.factor);
    CHECK(folder.run(validate).exit_code == 3);
    scale(folder, change.op, change.coefficient, 1 / change.factor);
  }
}

TEST_CASE("validate --withhold answers for one device without its measurements, and says so") {
  const Folder folder;
  const double answer = simulated(folder);
  folder.write("t.json", trace(answer));  // on H100: its relative is within a few percent
  const Outcome near = folder.run("validate --traces t.json --withhold h100");
  CHECK(near.exit_code == 0);
  CHECK_THAT(near.out, Contains("h100-sxm: its measurements withheld, those of h200-sxm carried") &&
                           Contains("mean error of static batches without measurements"));
  folder.write("t.json", trace(answer / 2));
  CHECK(folder.run("validate --traces t.json --withhold h100").exit_code == 3);
  check_refused(folder.run("validate --traces t.json --withhold a100"), "no measurement given");
  check_refused(folder.run("validate --traces t.json --withhold h10"), "did you mean \"h100\"?");
  CHECK(folder.run("validate --traces t.json --withhold h100 --against b.json").exit_code == 2);
}
