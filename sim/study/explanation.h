#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::study {

/// What +10 % of one parameter does, as a relative change; none where the figure does not apply.
struct Elasticity {
  std::string parameter;          ///< "HBM bandwidth", "host time of a step" ...
  std::optional<double> latency;  ///< of the time to first token, or of the makespan of a block
  std::optional<double> tpot;
  std::optional<double> throughput;  ///< output tokens, or total tokens without a decode
};

/// Time on the longest chain of waiting tasks, by what it was spent on.
struct PathShare {
  std::string phase, name;
  double time_ms = 0;
  double share = 0;  ///< of the path
};

struct Explanation {
  scenario::Scenario scenario;
  workload::Result result;
  std::vector<Elasticity> elasticities;  ///< largest effect first
  std::vector<PathShare> path;           ///< largest first; of the prefill and `path_decode_steps`
  int path_decode_steps = 0;
};

/// Runs the scenario, then again with each parameter 10 % higher, and follows the critical path of
/// its unfolded graph (serving has no single one). An infeasible plan has its result and nothing
/// else.
Explanation explain(const scenario::Scenario& scenario);

}  // namespace tradewind::study
