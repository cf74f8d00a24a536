#include "sim/engine/timeline.h"

namespace tradewind::engine {

std::vector<Time> durations(const Timeline& timeline) {
  std::vector<Time> durations(timeline.start.size());
  for (std::size_t task = 0; task < durations.size(); ++task) {
    durations[task] = timeline.finish[task] - timeline.start[task];
  }
  return durations;
}

}  // namespace tradewind::engine
