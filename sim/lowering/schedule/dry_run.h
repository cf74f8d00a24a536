#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/lowering/schedule/program.h"

namespace tradewind::lowering {

/// A pipeline played through operation by operation, as schedules that react to times are found.
class DryRun {
 public:
  /// `host[c]`: the device of chunk c.
  DryRun(const ScheduleShape& shape, std::vector<int> host);

  int host(int chunk) const { return host_[static_cast<std::size_t>(chunk)]; }
  int chunks() const { return static_cast<int>(host_.size()); }
  double free(int device) const { return free_[static_cast<std::size_t>(device)]; }
  /// When the operation could start at the earliest, or nothing while it waits for another that has
  /// not been run.
  std::optional<double> start_of(const StageOp& op) const;
  void run(const StageOp& op);

  std::vector<StageProgram> take_programs() { return std::move(programs_); }
  /// The longest time from a device's first operation to its last.
  double longest_span() const;

 private:
  std::size_t place(const StageOp& op) const {
    return static_cast<std::size_t>(op.micro_batch) * host_.size() +
           static_cast<std::size_t>(op.chunk);
  }
  double arrival(double end, int from, int to) const {
    return host(from) == host(to) ? end : end + times_.transfer;
  }

  ChunkTimes times_;
  std::vector<int> host_;
  std::vector<double> forward_end_, backward_end_;  ///< negative: not run yet
  std::vector<double> free_, first_;
  std::vector<StageProgram> programs_;
};

/// The longest span of programs that are there already.
double span_of(const ScheduleShape& shape, const std::vector<int>& host,
               const std::vector<StageProgram>& programs);

}  // namespace tradewind::lowering
