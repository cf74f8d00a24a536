#include <algorithm>

#include "sim/workload/serving/scheduler.h"

namespace tradewind::workload {
namespace {

std::int64_t held_tokens(const Sequence& sequence, const SchedulerLimits& limits) {
  return limits.capacity_policy == CapacityPolicy::guaranteed_no_evict ? sequence.final_length()
                                                                       : sequence.length();
}

/// Generation goes first; room can run out only under `max_utilization`.
void schedule_generation(Queues& queues, const SchedulerLimits& limits, std::int64_t& budget,
                         ScheduledStep& step) {
  for (std::size_t i = 0; i < queues.running.size() && budget > 0; ++i) {
    const SequenceId id = queues.running[i];
    const Sequence& sequence = queues.of(id);
    if (sequence.in_flight || !sequence.decodes()) continue;
    if (!queues.grow_or_preempt(i, held_tokens(sequence, limits))) continue;
    step.push_back({id, 1});
    --budget;
  }
}

void schedule_contexts(Queues& queues, const SchedulerLimits& limits, std::int64_t& budget,
                       ScheduledStep& step) {
  // Contexts begun in an earlier step.
  for (const SequenceId id : queues.running) {
    const Sequence& sequence = queues.of(id);
    if (sequence.in_flight || sequence.decodes() || budget <= 0) continue;
    const std::int64_t tokens = prompt_tokens(sequence, limits, budget);
    if (tokens == 0) continue;
    step.push_back({id, static_cast<std::int32_t>(tokens)});
    budget -= tokens;
  }
  const auto seats = static_cast<std::size_t>(limits.max_num_seqs);
  while (!queues.waiting.empty() && budget > 0 && step.size() < seats &&
         queues.running.size() < seats * static_cast<std::size_t>(limits.micro_batches)) {
    const SequenceId id = queues.waiting.front();
    const Sequence& sequence = queues.look_at_first();
    const std::int64_t tokens = prompt_tokens(sequence, limits, budget);
    if (tokens == 0) return queues.leave_first();
    if (!queues.admit_first(held_tokens(sequence, limits))) return;
    step.push_back({id, static_cast<std::int32_t>(tokens)});
    budget -= tokens;
  }
}

}  // namespace

/// TensorRT-LLM's batch manager (docs/source/performance/performance-tuning-guide:
/// max_batch_size, max_num_tokens, capacity scheduler policy): each pipeline stage has a
/// micro-batch of up to max_batch_size sequences; generation and contexts share its step.
void schedule_tensorrt_llm(Queues& queues, const SchedulerLimits& limits, ScheduledStep& step) {
  std::int64_t budget = limits.token_budget();
  schedule_generation(queues, limits, budget, step);
  if (queues.preempted.empty()) schedule_contexts(queues, limits, budget, step);
}

}  // namespace tradewind::workload
