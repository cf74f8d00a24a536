#include <algorithm>

#include "sim/workload/serving/scheduler.h"

namespace tradewind::workload {
namespace {

/// Whole prompts, as many as fit the token budget and leave the watermark free.
void schedule_prompts(Queues& queues, const SchedulerLimits& limits, ScheduledStep& step) {
  constexpr double kWatermark = 0.01;  // of the blocks: vLLM v0's BlockSpaceManager
  const auto watermark = static_cast<std::int64_t>(
      kWatermark * static_cast<double>(std::max<std::int64_t>(0, queues.cache.capacity_blocks())));
  std::int64_t budget = limits.token_budget();
  const auto seats = static_cast<std::size_t>(limits.max_num_seqs);
  while (!queues.waiting.empty() && queues.running.size() < seats) {
    const SequenceId id = queues.waiting.front();
    const Sequence& sequence = queues.look_at_first();
    const std::int32_t tokens = sequence.missing();
    const std::int64_t blocks = queues.cache.blocks_for(sequence.length());
    // v0 accepts no prompt beyond its budget: one that is longer is a step of its own.
    const bool in_budget = tokens <= budget || step.empty();
    const bool in_cache =
        queues.running.empty() || queues.cache.free_blocks() - blocks >= watermark;
    if (!in_budget || !in_cache) return queues.leave_first();
    if (!queues.admit_first(sequence.length())) return;
    step.push_back({id, tokens});
    budget -= tokens;
  }
}

void schedule_decodes(Queues& queues, ScheduledStep& step) {
  for (std::size_t i = 0; i < queues.running.size(); ++i) {
    const SequenceId id = queues.running[i];
    const Sequence& sequence = queues.of(id);
    if (sequence.in_flight) continue;
    if (queues.grow_or_preempt(i, sequence.length())) step.push_back({id, 1});
  }
}

}  // namespace

/// vLLM v0's default scheduler (vllm/core/scheduler.py, without chunked prefill): prompts go first,
/// alone; decodes wait for them.
void schedule_vllm_v0(Queues& queues, const SchedulerLimits& limits, ScheduledStep& step) {
  schedule_prompts(queues, limits, step);
  if (step.empty()) schedule_decodes(queues, step);
}

}  // namespace tradewind::workload
