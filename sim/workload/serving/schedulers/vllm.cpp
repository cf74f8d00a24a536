#include <algorithm>

#include "sim/workload/serving/scheduler.h"

namespace tradewind::workload {
namespace {

void schedule_running(Queues& queues, std::int64_t& budget, ScheduledStep& step) {
  for (std::size_t i = 0; i < queues.running.size() && budget > 0; ++i) {
    const SequenceId id = queues.running[i];
    Sequence& sequence = queues.of(id);
    if (sequence.in_flight) continue;
    const auto tokens =
        static_cast<std::int32_t>(std::min<std::int64_t>(sequence.missing(), budget));
    if (!queues.grow_or_preempt(i, sequence.computed + tokens)) continue;
    step.push_back({id, tokens});
    budget -= tokens;
  }
}

void schedule_waiting(Queues& queues, const SchedulerLimits& limits, std::int64_t& budget,
                      ScheduledStep& step) {
  const auto seats = static_cast<std::size_t>(limits.max_num_seqs);
  while (!queues.waiting.empty() && budget > 0 && queues.running.size() < seats) {
    const SequenceId id = queues.waiting.front();
    const Sequence& sequence = queues.look_at_first();
    const std::int64_t tokens = prompt_tokens(sequence, limits, budget);
    if (tokens == 0) return queues.leave_first();
    if (!queues.admit_first(sequence.computed + tokens)) return;
    step.push_back({id, static_cast<std::int32_t>(tokens)});
    budget -= tokens;
  }
}

}  // namespace

/// vLLM v1's scheduler (vllm/v1/core/sched/scheduler.py): no prefill and decode phases, only
/// sequences that lack tokens; those running first, in order of arrival, then the queue unless
/// somebody was preempted.
void schedule_vllm(Queues& queues, const SchedulerLimits& limits, ScheduledStep& step) {
  std::int64_t budget = limits.token_budget();
  schedule_running(queues, budget, step);
  if (queues.preempted.empty()) schedule_waiting(queues, limits, budget, step);
}

}  // namespace tradewind::workload
