#pragma once

#include <cstdint>
#include <vector>

#include "sim/lowering/overlap/program.h"

namespace tradewind::lowering {

using Ps = std::int64_t;

/// Of one slice, on an ideal machine: however many run at once.
struct Times {
  Ps compute;
  Ps send;
  Ps add;
  Ps collective;
};

struct Simulated {
  Ps makespan;
  Ps exposed;  ///< makespan less what it is with communication free
};

/// Runs the programs in the engine: a compute stream and `lanes` communication streams a rank.
Simulated simulate(const std::vector<Program>& programs, int lanes, const Times& times);

/// Rank 0 for all: what it waits for from others it does itself.
std::vector<Program> folded(const std::vector<Program>& programs);

}  // namespace tradewind::lowering
