#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/study/sweep_grid.h"
#include "tests/catch.h"
#include "validation/reproduce/reproduction.h"
#include "validation/reproduce/solve_rates.h"

using namespace tradewind;
using namespace tradewind::validation;

namespace {

const std::string kRoot = TRADEWIND_SOURCE_DIR;
const std::string kFolder = kRoot + "/configs/papers/flashoverlap/";
const std::string kFile = kFolder + "facts.json";

Facts overlap_facts() {
  return read_facts(read_file(kFile), kFile);
}

scenario::RooflineRates stored_rates(const Facts& facts, scenario::Catalogue& catalogue) {
  const nlohmann::json name = facts.runtime;
  return catalogue.runtime(json::Node(name, kFile, "/runtime"))->rates;
}

/// What the paper's assumptions come to.
double simulated(const Facts& facts, const std::string& id, scenario::Catalogue& catalogue) {
  const Variant paper{facts.runtime};
  FactPoints points;
  add_points(points, facts.find(id), paper, catalogue);
  simulate(points, 1);
  return answer(facts.find(id), paper, points).value.value();
}

}  // namespace

TEST_CASE("every published figure of the overlap paper with a tolerance is met", "[paper]") {
  scenario::Catalogue catalogue(kRoot);
  const Facts facts = overlap_facts();
  const Reproduction reproduction = reproduce(facts, catalogue, 0);
  REQUIRE(reproduction.results.size() == facts.facts.size());
  for (const FactResult& result : reproduction.results) {
    INFO(result.fact->id << ": published " << result.fact->published << ", simulated "
                         << result.simulated.value.value_or(-1));
    CHECK(result.simulated.value);
    CHECK_FALSE(result.calibrated);
    CHECK(result.verdict != Verdict::missed);
  }
  CHECK(reproduction.passed());
}

TEST_CASE("what slicing leaves exposed follows from the row without overlap", "[paper]") {
  scenario::Catalogue catalogue(kRoot);
  const Facts facts = overlap_facts();
  // FC2 of 131,072 tokens, 4096 wide, a quarter of 4 x 4096 columns deep, in milliseconds; what
  // rests of the compute is FC1, alike, and a few passes over memory.
  const double fc2 =
      2.0 * 131072 * 4096 * 4096 / (3.2e14 * stored_rates(facts, catalogue).matrix_share) * 1e3;
  const double scatter = simulated(facts, "vanilla-communication", catalogue);
  // Both chunk times are proportional to the chunk: the collective is the longer, so n of them
  // stand behind the first product (flashoverlap.md, section 3). The chunks read their weights
  // again: 34 MB each time against 67 ms of compute, far below the margin of 0.1 ms.
  for (const auto& [id, chunks] :
       {std::pair{"slicing-overhead-2", 2}, {"slicing-overhead-4", 4}, {"slicing-overhead-8", 8}}) {
    INFO(id);
    const double exposed = scatter - fc2 * (chunks - 1) / chunks;
    const double change = simulated(facts, id, catalogue);
    CHECK(scatter * (1 + change / 100) == Approx(exposed).margin(0.1));
  }
}

TEST_CASE("the slower single messages are, the more of them Flash-RS exposes", "[paper]") {
  scenario::Catalogue catalogue(kRoot);
  const Facts facts = overlap_facts();
  const double fast = simulated(facts, "flash-overhead-p2p-880", catalogue);
  const double slow = simulated(facts, "flash-overhead-p2p-770", catalogue);
  const double slowest = simulated(facts, "flash-overhead-p2p-657", catalogue);
  CHECK(fast < slow);
  CHECK(slow < slowest);
  // Half as long a slice leaves half as much behind the last product.
  CHECK(simulated(facts, "flash-overhead-p2p-657-halves", catalogue) < slowest);
}

TEST_CASE("the overlap runtime holds what the row without overlap solves to", "[paper]") {
  scenario::Catalogue catalogue(kRoot);
  const Facts facts = overlap_facts();
  const scenario::RooflineRates stored = stored_rates(facts, catalogue);
  const SolvedRates solved = solve_rates(facts, catalogue, 0);
  REQUIRE(solved.rates.size() == 2);
  CHECK(solved.rate("matrix_share") == stored.matrix_share);
  CHECK(solved.rate("link_share") == stored.link_share);
  for (const SolvedRates::Residual& residual : solved.residuals) {
    // Two rates for two figures; three digits of a rate are worth 0.14 % and the tolerance 0.5 %.
    CHECK(std::abs(residual.tolerances) < 0.5);
  }
}

TEST_CASE("every point of every sweep of the overlap paper can be read", "[paper]") {
  scenario::Catalogue catalogue(kRoot);
  for (const auto& [name, points] :
       {std::pair{"table-1-mlp", 7}, {"table-3-mlp-splits", 15}, {"table-4-attention", 16}}) {
    INFO(name);
    const std::string file = kFolder + name + ".json";
    const study::Sweep sweep = study::read_sweep(read_file(file), file);
    CHECK(study::expand(sweep, catalogue, {}).size() == static_cast<std::size_t>(points));
  }
}

TEST_CASE("a fact can only be held against one before it") {
  nlohmann::json json = nlohmann::json::parse(read_file(kFile));
  const auto complaint = [&](const char* other) {
    json["facts"][2]["accept"] = {{"further_than", other}};
    try {
      read_facts(json.dump(), kFile);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(complaint("vanilla-compute").empty());
  CHECK_THAT(complaint("slicing-compute"), Catch::Contains("/facts/2/accept/further_than"));
}
