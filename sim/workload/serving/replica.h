#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/workload/pipeline.h"
#include "sim/workload/serving/scheduler.h"
#include "sim/workload/serving/serving_result.h"
#include "sim/workload/serving/step_pricer.h"
#include "sim/workload/serving/token_gaps.h"

namespace tradewind::workload {

/// A sequence got its last token from this replica.
struct Completion {
  std::int64_t request;
  Time at;
};

/// Sums over the steps of one replica.
struct ReplicaTotals {
  std::uint64_t steps = 0;
  std::int64_t prompt_tokens = 0;  ///< computed, again after a preemption
  std::int64_t sampled_tokens = 0;
  std::vector<Time> busy;          ///< by stage
  Time host;                       ///< of all steps
  PerVariant<Time> steps_alone{};  ///< every step through all stages, one after the other
  double running_s = 0, waiting_s = 0, used_blocks_s = 0;  ///< integrals over time
  std::int64_t most_used_blocks = 0;
};

/// One serving engine: queues, a scheduler, and a pipeline with up to one step a stage in flight. A
/// discrete-event part: the server asks when it acts next and lets it act.
class Replica {
 public:
  /// `context` and `outcomes` must outlive it.
  Replica(const RunContext& context, const Scheduler& scheduler, const SchedulerLimits& limits,
          KvCache cache, std::vector<RequestOutcome>& outcomes, std::int32_t number);

  /// Joins the queue. With `prefilled`, its prompt and first token come with it.
  void submit(std::int64_t request, const Sequence& sequence, Time now);
  /// Starts as many steps as may be in flight.
  void schedule(Time now, StepSamples& samples);
  /// When the earliest step in flight ends; Time::max() where there is none.
  Time next_end() const { return in_flight_.empty() ? Time::max() : in_flight_.front().ready; }
  /// Ends it: tokens are there, sequences that are complete leave.
  void end_step(TokenGaps& gaps, std::vector<Completion>& completions);

  bool idle() const { return in_flight_.empty(); }
  std::size_t sequences() const { return queues_.running.size() + queues_.waiting.size(); }
  std::size_t waiting() const { return queues_.waiting.size(); }
  const Queues& queues() const { return queues_; }
  const StepPricer& pricer() const { return pricer_; }
  /// With the integrals up to `now`.
  ReplicaTotals totals(Time now);

 private:
  struct InFlight {
    Time left;   ///< the last stage
    Time ready;  ///< the scheduler knows the tokens
    ScheduledStep step;
  };
  /// Adds up queue lengths over the time since they last changed.
  void account(Time now);
  lowering::MixedShape shape_of(const ScheduledStep& step, double& context_tokens) const;
  void start(ScheduledStep step, Time now, StepSamples& samples);

  const Scheduler& scheduler_;
  SchedulerLimits limits_;
  Queues queues_;
  std::vector<RequestOutcome>& outcomes_;
  std::int32_t number_;
  StepPricer pricer_;
  Pipeline pipeline_;
  std::deque<InFlight> in_flight_;
  std::vector<ScheduledStep> spare_;  ///< buffers of steps that ended
  std::vector<SequenceId> free_slots_;
  ReplicaTotals totals_;
  Time accounted_;
};

}  // namespace tradewind::workload
