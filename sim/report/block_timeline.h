#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/time.h"
#include "sim/scenario/scenario.h"

namespace tradewind::report {

/// One transformer layer as the engine runs it on the first ranks of a group.
struct BlockTimeline {
  struct Task {
    std::string_view name;  ///< of its kernel
    int slice;              ///< -1 where nothing is taken apart
    Time start, finish;
  };
  struct Lane {
    int device;
    bool computes;  ///< else one of the device's communication lanes
    std::vector<Task> tasks;
  };
  std::vector<Lane> lanes;  ///< by device, its compute stream first
  int slices = 0;           ///< 1 + the highest slice; 0 where nothing is sliced
  Time makespan;
};

/// The same model, plan and transports on one stage and one replica, for the tokens of the
/// scenario's first prefill pass (of its block).
scenario::Scenario one_block(const scenario::Scenario& scenario);

/// Simulates one_block(scenario) with every rank and keeps the lanes of the first `ranks`.
/// REQUIRES: no structural_reason of one_block(scenario).
BlockTimeline block_timeline(const scenario::Scenario& scenario, int ranks);

}  // namespace tradewind::report
