#include "sim/lowering/schedule/dry_run.h"

#include <algorithm>

namespace tradewind::lowering {

DryRun::DryRun(const ScheduleShape& shape, std::vector<int> host)
    : times_(shape.times),
      host_(std::move(host)),
      forward_end_(host_.size() * static_cast<std::size_t>(shape.micro_batches), -1),
      backward_end_(forward_end_),
      free_(static_cast<std::size_t>(shape.stages)),
      first_(free_.size(), -1),
      programs_(free_.size()) {}

std::optional<double> DryRun::start_of(const StageOp& op) const {
  double start = free(host(op.chunk));
  const std::size_t at = place(op);
  if (op.kind == StageOpKind::forward) {
    if (op.chunk == 0) return start;
    if (forward_end_[at - 1] < 0) return std::nullopt;
    return std::max(start, arrival(forward_end_[at - 1], op.chunk - 1, op.chunk));
  }
  if (op.kind == StageOpKind::backward_weight) {
    if (backward_end_[at] < 0) return std::nullopt;
    return std::max(start, backward_end_[at]);
  }
  if (forward_end_[at] < 0) return std::nullopt;
  start = std::max(start, forward_end_[at]);
  if (op.chunk == chunks() - 1) return start;
  if (backward_end_[at + 1] < 0) return std::nullopt;
  return std::max(start, arrival(backward_end_[at + 1], op.chunk + 1, op.chunk));
}

void DryRun::run(const StageOp& op) {
  const std::size_t device = static_cast<std::size_t>(host(op.chunk));
  const double start = start_of(op).value();
  const double end = start + times_.of(op.kind);
  if (first_[device] < 0) first_[device] = start;
  if (op.kind == StageOpKind::forward) forward_end_[place(op)] = end;
  if (op.kind == StageOpKind::backward || op.kind == StageOpKind::backward_input) {
    backward_end_[place(op)] = end;
  }
  free_[device] = end;
  programs_[device].push_back(op);
}

double DryRun::longest_span() const {
  double longest = 0;
  for (std::size_t d = 0; d < free_.size(); ++d) longest = std::max(longest, free_[d] - first_[d]);
  return longest;
}

double span_of(const ScheduleShape& shape, const std::vector<int>& host,
               const std::vector<StageProgram>& programs) {
  DryRun run(shape, host);
  std::vector<std::size_t> next(programs.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t d = 0; d < programs.size(); ++d) {
      while (next[d] < programs[d].size() && run.start_of(programs[d][next[d]])) {
        run.run(programs[d][next[d]++]);
        moved = true;
      }
    }
  }
  return run.longest_span();
}

}  // namespace tradewind::lowering
