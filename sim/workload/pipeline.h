#pragma once

#include <span>
#include <vector>

#include "sim/core/time.h"

namespace tradewind::workload {

/// A pipeline of stages fed with passes in order, as inference runtimes run it: a stage takes
/// passes in their order of arrival; a transfer to the next stage holds both stages (NCCL send and
/// receive are kernels of the compute stream) and so begins when both are free; the host prepares
/// each pass before stage 0 and runs ahead of it. These recurrences are what the engine computes on
/// the unfolded graph (tests/workload/full_test.cpp).
class Pipeline {
 public:
  explicit Pipeline(std::size_t stages) : free_(stages) {}

  /// Runs one pass whose input is there at `ready`. `stage[s]` is how long stage s computes and
  /// `transfer[s]` how long it takes to hand over to stage s + 1 (one entry fewer).
  /// Returns when the pass leaves the last stage.
  Time run(Time ready, Time host, std::span<const Time> stage, std::span<const Time> transfer) {
    host_free_ = std::max(ready, host_free_) + host;
    Time start = std::max(host_free_, free_[0]);
    for (std::size_t s = 0;; ++s) {
      const Time done = start + stage[s];
      if (s + 1 == free_.size()) return free_[s] = done;
      start = std::max(done, free_[s + 1]) + transfer[s];
      free_[s] = start;
    }
  }

 private:
  std::vector<Time> free_;
  Time host_free_;
};

}  // namespace tradewind::workload
