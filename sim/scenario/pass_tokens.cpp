#include "sim/scenario/pass_tokens.h"

#include <algorithm>
#include <cmath>

#include "sim/core/overload.h"
#include "sim/scenario/step_bounds.h"

namespace tradewind::scenario {
namespace {

void add(std::vector<PassTokens>& passes, PassKind kind, std::int64_t tokens) {
  const auto same = [&](const PassTokens& p) { return p.kind == kind && p.tokens == tokens; };
  if (tokens == 0 || std::any_of(passes.begin(), passes.end(), same)) return;
  passes.push_back({kind, tokens});
}

void add_prefill(std::vector<PassTokens>& passes, std::int64_t sequences, std::int64_t input,
                 std::int64_t budget) {
  if (budget > 0 && input > budget) {
    add(passes, PassKind::prefill, budget);
    add(passes, PassKind::prefill, input % budget);
    return;
  }
  const std::int64_t together = budget > 0 ? std::min(sequences, budget / input) : sequences;
  add(passes, PassKind::prefill, together * input);
  add(passes, PassKind::prefill, sequences % together * input);
}

/// Sequences of the larger and of the smaller nano-batches (0 = there are none smaller).
std::pair<int, int> nano_batch_sizes(const Plan& plan, int batch) {
  if (plan.kv_accounting == KvAccounting::paper) return {batch, 0};
  const int count = std::min(plan.nano_batch_count(), batch);
  const int smaller = batch / count;
  return batch % count > 0 ? std::pair{smaller + 1, smaller} : std::pair{smaller, 0};
}

std::vector<PassTokens> static_batch_passes(const Scenario& scenario, const StaticBatch& batch) {
  std::vector<PassTokens> passes;
  const auto [larger, smaller] = nano_batch_sizes(scenario.plan, batch.batch);
  const int budget = scenario.runtime->max_num_batched_tokens;
  add_prefill(passes, larger, batch.input_tokens, budget);
  if (smaller > 0) add_prefill(passes, smaller, batch.input_tokens, budget);
  if (batch.output_tokens > 1) {
    add(passes, PassKind::decode, larger);
    add(passes, PassKind::decode, smaller);
  }
  return passes;
}

/// Steps of many sizes: a full one, and a step of nothing but decoding sequences.
std::vector<PassTokens> serving_passes(const Scenario& scenario, const Serving& serving) {
  const std::int64_t sequences = most_sequences(scenario, serving);
  const MeanTokens mean = mean_tokens(serving.requests);
  const auto waiting = static_cast<std::int64_t>(std::ceil(mean.input)) * sequences;
  const std::int64_t budget = step_bounds(scenario, serving).max_num_batched_tokens;
  std::vector<PassTokens> passes;
  add(passes, PassKind::prefill, std::min(waiting, budget));
  if (mean.output > 1) add(passes, PassKind::decode, sequences);
  return passes;
}

}  // namespace

std::vector<PassTokens> pass_tokens(const Scenario& scenario) {
  return std::visit(
      Overload{[&](const StaticBatch& batch) { return static_batch_passes(scenario, batch); },
               [&](const Serving& serving) { return serving_passes(scenario, serving); },
               [&](const Training& training) {
                 const std::int64_t shards = std::int64_t{scenario.plan.cp} * scenario.plan.ulysses;
                 return std::vector<PassTokens>{
                     {PassKind::block,
                      std::int64_t{training.micro_batch} * training.sequence_length / shards}};
               },
               [](const Block& block) {
                 const std::int64_t tokens = std::int64_t{block.batch} * block.sequence_length;
                 return std::vector<PassTokens>{{PassKind::block, tokens}};
               }},
      scenario.workload);
}

}  // namespace tradewind::scenario
