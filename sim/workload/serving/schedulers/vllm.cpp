#include <algorithm>

#include "sim/workload/serving/scheduler.h"

namespace tradewind::workload {
namespace {

/// Room for the sequence's next tokens, at the cost of the youngest; false where it had to give way
/// itself, or where all younger ones are in flight.
bool grow_or_preempt(Queues& queues, std::size_t position, std::int64_t tokens) {
  Sequence& sequence = queues.of(queues.running[position]);
  while (!queues.cache.grow(sequence, tokens)) {
    const Sequence& youngest = queues.of(queues.running.back());
    if (youngest.in_flight) return false;
    const bool itself = position + 1 == queues.running.size();
    queues.preempt_last();
    if (itself) return false;
  }
  return true;
}

void schedule_running(Queues& queues, std::int64_t& budget, ScheduledStep& step) {
  for (std::size_t i = 0; i < queues.running.size() && budget > 0; ++i) {
    const SequenceId id = queues.running[i];
    Sequence& sequence = queues.of(id);
    if (sequence.in_flight) continue;
    const auto tokens =
        static_cast<std::int32_t>(std::min<std::int64_t>(sequence.missing(), budget));
    if (!grow_or_preempt(queues, i, sequence.computed + tokens)) continue;
    step.push_back({id, tokens});
    budget -= tokens;
  }
}

void schedule_waiting(Queues& queues, const SchedulerLimits& limits, std::int64_t& budget,
                      ScheduledStep& step) {
  const auto seats = static_cast<std::size_t>(limits.max_num_seqs);
  while (!queues.waiting.empty() && budget > 0 && queues.running.size() < seats) {
    const SequenceId id = queues.waiting.front();
    Sequence& sequence = queues.of(id);
    queues.cache.find_prefix(sequence);
    const std::int64_t tokens = prompt_tokens(sequence, limits, budget);
    if (tokens == 0 || !queues.cache.grow(sequence, sequence.computed + tokens)) {
      queues.cache.release(sequence);
      sequence.computed = 0;
      return;
    }
    queues.admit_first();
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
