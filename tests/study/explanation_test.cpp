#include "sim/study/explanation.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using testing::scenario_with;

namespace {

const study::Elasticity& of(const study::Explanation& explanation, const std::string& parameter) {
  return *std::find_if(explanation.elasticities.begin(), explanation.elasticities.end(),
                       [&](const study::Elasticity& e) { return e.parameter == parameter; });
}

}  // namespace

TEST_CASE("an ideal decode of one sequence is HBM alone: 10 % more bandwidth, 1/1.1 of the time") {
  const study::Explanation explanation =
      study::explain(scenario_with({{"plan.tp", 1}, {"workload.batch", 1}}));
  // Every kernel of the roofline is bound by its bytes; picoseconds are rounded kernel by kernel.
  CHECK(*of(explanation, "HBM bandwidth").tpot == Approx(1 / 1.1 - 1).epsilon(1e-6));
  CHECK(*of(explanation, "matrix rate").tpot == 0);
  CHECK(*of(explanation, "link bandwidth").tpot == 0);
  CHECK(explanation.elasticities.front().parameter == "HBM bandwidth");
}

TEST_CASE("what is faster never makes a run slower, what the host does never faster") {
  const study::Explanation explanation =
      study::explain(scenario_with({{"plan.tp", 4}, {"runtime", "vllm"}, {"cluster", "h100-8"}}));
  for (const char* faster : {"matrix rate", "HBM bandwidth", "link bandwidth"}) {
    INFO(faster);
    CHECK(*of(explanation, faster).latency <= 0);
    CHECK(*of(explanation, faster).throughput >= 0);
  }
  CHECK(*of(explanation, "host time of a step").tpot > 0);
}

TEST_CASE("the critical path is the run when nothing waits for a pipeline") {
  const study::Explanation explanation = study::explain(
      scenario_with({{"plan.tp", 2}, {"runtime", "vllm"}, {"workload.output_tokens", 3}}));
  double path_ms = 0, shares = 0;
  for (const study::PathShare& share : explanation.path) {
    path_ms += share.time_ms;
    shares += share.share;
  }
  CHECK(explanation.path_decode_steps == 2);
  CHECK(path_ms == Approx(*explanation.result.metrics.makespan_ms).epsilon(1e-9));
  CHECK(shares == Approx(1).epsilon(1e-9));
}

TEST_CASE("an infeasible plan is explained by its reason") {
  const study::Explanation explanation = study::explain(scenario_with({{"plan.tp", 16}}));
  CHECK_FALSE(explanation.result.feasible);
  CHECK(explanation.elasticities.empty());
}
