#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/time.h"

namespace tradewind::engine {

/// When each task of a graph ran. Arrays are indexed by task.
struct Timeline {
  /// The moment at which the task took its stream; its latency, then its work, follow.
  std::vector<Time> start;
  std::vector<Time> finish;
  /// The last finish.
  Time makespan;
  /// Ends of latencies and of work that the engine has processed.
  std::uint64_t events = 0;
};

/// Finish minus start of each task.
std::vector<Time> durations(const Timeline& timeline);

}  // namespace tradewind::engine
