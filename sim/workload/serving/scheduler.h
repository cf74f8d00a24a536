#pragma once

#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "sim/workload/serving/kv_cache.h"
#include "sim/workload/serving/sequence.h"

namespace tradewind::workload {

/// What TensorRT-LLM calls `capacity_scheduler_policy`.
enum class CapacityPolicy {
  guaranteed_no_evict,  ///< a sequence starts when the cache holds all of it, to its last token
  max_utilization,      ///< when it holds its prompt; the youngest is taken back when room runs out
};

/// A scheduler's arguments, resolved: the scenario's, else the runtime's.
struct SchedulerLimits {
  std::int64_t max_num_seqs = 0;
  std::int64_t max_num_batched_tokens = 0;  ///< 0: no bound
  bool enable_chunked_prefill = true;
  CapacityPolicy capacity_policy = CapacityPolicy::guaranteed_no_evict;
  int micro_batches = 1;  ///< steps that may be in flight: one a pipeline stage

  /// Tokens of a step.
  std::int64_t token_budget() const {
    return max_num_batched_tokens > 0 ? max_num_batched_tokens : std::int64_t{1} << 40;
  }
};

/// Tokens of a prompt that fit into what is left of a step's budget. Without chunked prefill it
/// comes whole or not at all, unless no step could hold it whole.
std::int64_t prompt_tokens(const Sequence& sequence, const SchedulerLimits& limits,
                           std::int64_t budget);

/// The queues of one replica.
struct Queues {
  explicit Queues(KvCache the_cache) : cache(std::move(the_cache)) {}

  std::vector<Sequence> sequences;  ///< by SequenceId; slots are used again
  std::deque<SequenceId> waiting;   ///< in order of arrival; preempted ones in front
  std::vector<SequenceId> running;  ///< in order of admission
  KvCache cache;
  std::vector<SequenceId> preempted;  ///< by the step being scheduled
  std::int64_t waiting_tokens = 0;    ///< that those waiting lack

  Sequence& of(SequenceId id) { return sequences[static_cast<std::size_t>(id)]; }
  const Sequence& of(SequenceId id) const { return sequences[static_cast<std::size_t>(id)]; }

  void enqueue(SequenceId id);
  /// Takes the sequence's cache away and puts it back in front of the queue: it computes all its
  /// tokens again (vLLM's preemption by recomputation). It is the last of `running`.
  void preempt_last();
  /// Room for `tokens` of the sequence at that place of `running`, at the cost of the youngest;
  /// false where it had to give way itself, or where the youngest is in flight.
  bool grow_or_preempt(std::size_t position, std::int64_t tokens);
  /// The first of `waiting` joins `running` if the cache has room for `held_tokens` of it; else
  /// what was found of its prefix is let go again, and false.
  bool admit_first(std::int64_t held_tokens);
  /// The first of `waiting`, with what the cache has of its prefix counted as computed.
  Sequence& look_at_first();
  void leave_first();
};

/// How a serving engine composes its next step.
struct Scheduler {
  std::string_view name;
  std::string_view description;
  /// Appends to `step`, which is empty, what the next step does; leaves it empty where there is
  /// nothing to do now. Sequences in flight are left alone.
  void (*schedule)(Queues& queues, const SchedulerLimits& limits, ScheduledStep& step);
};

std::span<const Scheduler> schedulers();
/// The scheduler of that name, or nullptr.
const Scheduler* find_scheduler(std::string_view name);

/// Registered parts, one file each in schedulers/.
void schedule_vllm(Queues& queues, const SchedulerLimits& limits, ScheduledStep& step);
void schedule_vllm_v0(Queues& queues, const SchedulerLimits& limits, ScheduledStep& step);
void schedule_tensorrt_llm(Queues& queues, const SchedulerLimits& limits, ScheduledStep& step);
void schedule_static(Queues& queues, const SchedulerLimits& limits, ScheduledStep& step);

}  // namespace tradewind::workload
