#include "sim/workload/serving/scheduler.h"

#include <algorithm>
#include <array>

namespace tradewind::workload {

std::int64_t prompt_tokens(const Sequence& sequence, const SchedulerLimits& limits,
                           std::int64_t budget) {
  const std::int64_t missing = sequence.missing();
  if (missing <= budget) return missing;
  const bool chunks = limits.enable_chunked_prefill || missing > limits.token_budget();
  return chunks ? budget : 0;
}

void Queues::enqueue(SequenceId id) {
  waiting.push_back(id);
  waiting_tokens += of(id).length();
}

void Queues::preempt_last() {
  const SequenceId id = running.back();
  running.pop_back();
  Sequence& sequence = of(id);
  cache.release(sequence);
  sequence.computed = 0;
  waiting.push_front(id);
  waiting_tokens += sequence.length();
  preempted.push_back(id);
}

bool Queues::grow_or_preempt(std::size_t position, std::int64_t tokens) {
  Sequence& sequence = of(running[position]);
  while (!cache.grow(sequence, tokens)) {
    if (of(running.back()).in_flight) return false;
    const bool itself = position + 1 == running.size();
    preempt_last();
    if (itself) return false;
  }
  return true;
}

Sequence& Queues::look_at_first() {
  Sequence& sequence = of(waiting.front());
  cache.find_prefix(sequence);
  return sequence;
}

void Queues::leave_first() {
  Sequence& sequence = of(waiting.front());
  // What came with its cache from a prefill pool holds no block yet and keeps what it has computed.
  if (sequence.shared_blocks == 0) return;
  cache.release(sequence);
  sequence.computed = 0;
}

bool Queues::admit_first(std::int64_t held_tokens) {
  const SequenceId id = waiting.front();
  if (!cache.grow(of(id), held_tokens)) {
    leave_first();
    return false;
  }
  waiting.pop_front();
  waiting_tokens -= of(id).length();
  running.push_back(id);
  return true;
}

std::span<const Scheduler> schedulers() {
  static constexpr std::array<Scheduler, 4> kSchedulers = {{
      {"vllm", "vLLM v1: decodes first, then prompts in chunks up to the token budget",
       schedule_vllm},
      {"vllm-v0", "vLLM v0: steps of whole prompts before steps of decodes", schedule_vllm_v0},
      {"tensorrt-llm", "TensorRT-LLM: in-flight batching under a capacity policy",
       schedule_tensorrt_llm},
      {"static", "a batch starts together and runs to its end before the next", schedule_static},
  }};
  return kSchedulers;
}

const Scheduler* find_scheduler(std::string_view name) {
  const std::span<const Scheduler> known = schedulers();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Scheduler& one) { return one.name == name; });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace tradewind::workload
