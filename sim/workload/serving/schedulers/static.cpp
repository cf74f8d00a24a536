#include <algorithm>

#include "sim/workload/serving/scheduler.h"

namespace tradewind::workload {
namespace {

/// The next batch: as many as there are seats and room for, in micro-batches that differ by at most
/// one sequence.
void form_batch(Queues& queues, const SchedulerLimits& limits) {
  const auto seats = static_cast<std::size_t>(limits.max_num_seqs);
  while (!queues.waiting.empty() && queues.running.size() < seats) {
    if (!queues.admit_first(queues.of(queues.waiting.front()).final_length())) break;
  }
  const std::size_t size = queues.running.size();
  const std::size_t groups =
      std::min(size, static_cast<std::size_t>(std::max(1, limits.micro_batches)));
  std::size_t next = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t members = size / groups + (group < size % groups ? 1 : 0);
    for (std::size_t i = 0; i < members; ++i) {
      queues.of(queues.running[next++]).group = static_cast<std::int32_t>(group);
    }
  }
}

/// The micro-batch that is least advanced and not in flight, or -1.
std::int32_t next_group(const Queues& queues, int groups) {
  constexpr std::int32_t kInFlight = 1 << 30;
  std::vector<std::int32_t> progress(static_cast<std::size_t>(groups), kInFlight);
  for (const SequenceId id : queues.running) {
    const Sequence& sequence = queues.of(id);
    std::int32_t& of_group = progress[static_cast<std::size_t>(sequence.group)];
    of_group = std::min(of_group, sequence.generated);
  }
  for (const SequenceId id : queues.running) {
    const Sequence& sequence = queues.of(id);
    if (sequence.in_flight) progress[static_cast<std::size_t>(sequence.group)] = kInFlight;
  }
  const auto least = std::min_element(progress.begin(), progress.end());
  return *least == kInFlight ? -1 : static_cast<std::int32_t>(least - progress.begin());
}

/// Whole prompts while they fit the token budget, a longer one in chunks, alone.
void schedule_prompts(const Queues& queues, std::int32_t group, std::int64_t budget,
                      ScheduledStep& step) {
  for (const SequenceId id : queues.running) {
    const Sequence& sequence = queues.of(id);
    if (sequence.group != group || sequence.generated > 0) continue;
    if (sequence.missing() > budget && !step.empty()) return;
    const auto tokens =
        static_cast<std::int32_t>(std::min<std::int64_t>(sequence.missing(), budget));
    step.push_back({id, tokens});
    budget -= tokens;
    if (budget == 0) return;
  }
}

}  // namespace

/// Batching of before continuous batching: what run_static_batch simulates, with sequences that may
/// differ in length (those that end early leave their place empty).
void schedule_static(Queues& queues, const SchedulerLimits& limits, ScheduledStep& step) {
  if (queues.running.empty()) form_batch(queues, limits);
  const std::int32_t group = next_group(queues, std::max(1, limits.micro_batches));
  if (group < 0) return;
  schedule_prompts(queues, group, limits.token_budget(), step);
  if (!step.empty()) return;
  for (const SequenceId id : queues.running) {
    if (queues.of(id).group == group) step.push_back({id, 1});
  }
}

}  // namespace tradewind::workload
