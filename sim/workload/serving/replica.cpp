#include "sim/workload/serving/replica.h"

#include <algorithm>
#include <limits>

namespace tradewind::workload {

void StepSamples::add(const StepSample& sample) {
  if (seen++ % stride != 0) return;
  kept.push_back(sample);
  if (kept.size() < kMost) return;
  for (std::size_t i = 0; 2 * i < kept.size(); ++i) kept[i] = kept[2 * i];
  kept.resize(kMost / 2);
  stride *= 2;
}

Replica::Replica(const RunContext& context, const Scheduler& scheduler,
                 const SchedulerLimits& limits, KvCache cache,
                 std::vector<RequestOutcome>& outcomes, std::int32_t number)
    : scheduler_(scheduler),
      limits_(limits),
      queues_(std::move(cache)),
      outcomes_(outcomes),
      number_(number),
      pricer_(context),
      pipeline_(context.stages.size()) {
  totals_.busy.resize(context.stages.size());
}

void Replica::submit(std::int64_t request, const Sequence& sequence, Time now) {
  account(now);
  SequenceId id = static_cast<SequenceId>(queues_.sequences.size());
  if (free_slots_.empty()) {
    queues_.sequences.push_back(sequence);
  } else {
    id = free_slots_.back();
    free_slots_.pop_back();
    queues_.of(id) = sequence;
  }
  queues_.of(id).request = request;
  queues_.enqueue(id);
}

void Replica::account(Time now) {
  const double past_s = (now - accounted_).seconds();
  accounted_ = now;
  totals_.running_s += past_s * static_cast<double>(queues_.running.size());
  totals_.waiting_s += past_s * static_cast<double>(queues_.waiting.size());
  totals_.used_blocks_s += past_s * static_cast<double>(queues_.cache.used_blocks());
}

lowering::MixedShape Replica::shape_of(const ScheduledStep& step, double& context_tokens) const {
  lowering::MixedShape shape;
  std::int64_t decode_context = 0, chunk_context = 0, pairs_twice = 0;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max(), longest = 0, deepest = 0;
  for (const ScheduledSequence& scheduled : step) {
    const Sequence& sequence = queues_.of(scheduled.id);
    const std::int64_t tokens = scheduled.new_tokens;
    const std::int64_t context = sequence.computed + tokens;
    if (context == sequence.length()) ++shape.sampled;
    if (sequence.decodes()) {
      ++shape.decodes;
      decode_context += context;
      continue;
    }
    ++shape.chunks;
    shape.chunk_tokens += tokens;
    chunk_context += context;
    pairs_twice += tokens * (2 * context - tokens + 1);
    shortest = std::min(shortest, std::min(tokens, context));
    longest = std::max(longest, tokens);
    deepest = std::max(deepest, context);
  }
  if (shape.decodes > 0) {
    shape.decode_context = static_cast<double>(decode_context) / static_cast<double>(shape.decodes);
  }
  if (shape.chunks > 0) {
    // Equal chunks keep their context exactly; see MixedShape for the others.
    const double mean = static_cast<double>(shape.chunk_tokens) / static_cast<double>(shape.chunks);
    const bool equal = shortest == longest && chunk_context == deepest * shape.chunks;
    shape.chunk_context =
        equal ? static_cast<double>(deepest)
              : (static_cast<double>(pairs_twice) / static_cast<double>(shape.chunk_tokens) + mean -
                 1) /
                    2;
  }
  context_tokens = static_cast<double>(decode_context + chunk_context);
  return shape;
}

void Replica::schedule(Time now, StepSamples& samples) {
  while (in_flight_.size() < static_cast<std::size_t>(limits_.micro_batches)) {
    account(now);
    ScheduledStep step;
    if (!spare_.empty()) {
      step = std::move(spare_.back());
      spare_.pop_back();
      step.clear();
    }
    queues_.preempted.clear();
    scheduler_.schedule(queues_, limits_, step);
    for (const SequenceId id : queues_.preempted) {
      ++outcomes_[static_cast<std::size_t>(queues_.of(id).request)].preemptions;
    }
    if (step.empty()) {
      spare_.push_back(std::move(step));
      return;
    }
    start(std::move(step), now, samples);
  }
}

void Replica::start(ScheduledStep step, Time now, StepSamples& samples) {
  double context_tokens = 0;
  const lowering::MixedShape shape = shape_of(step, context_tokens);
  for (const ScheduledSequence& scheduled : step) {
    Sequence& sequence = queues_.of(scheduled.id);
    RequestOutcome& outcome = outcomes_[static_cast<std::size_t>(sequence.request)];
    if (sequence.generated == 0 && outcome.admitted.ps < 0) {
      outcome.admitted = now;
      outcome.cached_tokens = sequence.computed;
    }
    sequence.in_flight = true;
  }
  const PassTimes& times = pricer_.price(shape, context_tokens);
  const PassTimes::OfVariant& of = times.of(Variant::simulated);
  const Time left = pipeline_.run(now, of.host, of.stage, of.transfer);
  for (std::size_t s = 0; s < of.stage.size(); ++s) totals_.busy[s] += of.stage[s];
  for (std::size_t v = 0; v < kVariantCount; ++v) {
    totals_.steps_alone[v] += times.variants[v].alone();
  }
  ++totals_.steps;
  totals_.host += of.host;
  totals_.prompt_tokens += shape.chunk_tokens;
  totals_.sampled_tokens += shape.sampled;
  const std::int64_t used = queues_.cache.used_blocks();
  totals_.most_used_blocks = std::max(totals_.most_used_blocks, used);
  samples.add({now, left, number_, static_cast<std::int32_t>(shape.decodes),
               static_cast<std::int32_t>(shape.chunks),
               static_cast<std::int32_t>(shape.chunk_tokens),
               static_cast<std::int32_t>(queues_.running.size()),
               static_cast<std::int32_t>(queues_.waiting.size()), used});
  in_flight_.push_back({left, left + of.token_return, std::move(step)});
}

void Replica::end_step(TokenGaps& gaps, std::vector<Completion>& completions) {
  InFlight ended = std::move(in_flight_.front());
  in_flight_.pop_front();
  account(ended.ready);
  bool some_left = false;
  for (const ScheduledSequence& scheduled : ended.step) {
    Sequence& sequence = queues_.of(scheduled.id);
    sequence.in_flight = false;
    sequence.computed += scheduled.new_tokens;
    if (sequence.missing() > 0) continue;
    RequestOutcome& outcome = outcomes_[static_cast<std::size_t>(sequence.request)];
    if (sequence.generated > 0) gaps.add(ended.left - outcome.last_token);
    if (++sequence.generated == 1) outcome.first_token = ended.left;
    outcome.last_token = ended.left;
    if (sequence.generated < sequence.output_tokens) continue;
    completions.push_back({sequence.request, ended.left});
    queues_.cache.release(sequence);
    free_slots_.push_back(scheduled.id);
    sequence.request = -1;
    some_left = true;
  }
  if (some_left) {
    std::erase_if(queues_.running, [&](SequenceId id) { return queues_.of(id).request < 0; });
  }
  spare_.push_back(std::move(ended.step));
}

ReplicaTotals Replica::totals(Time now) {
  account(now);
  return totals_;
}

}  // namespace tradewind::workload
