#pragma once

#include <vector>

#include "tests/engine/plan.h"

/// Start and finish of each task in ps, in continuous time.
struct ReferenceTimes {
  std::vector<double> start;
  std::vector<double> finish;
};

/// The semantics of the engine as plain loops over all tasks at every step, with no queue, no
/// components and no integers; quadratic, and sharing no code with it.
ReferenceTimes simulate_reference(const Plan& plan);
