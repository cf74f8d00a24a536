#include "sim/scenario/step_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/model/cache_bytes.h"
#include "sim/model/weight_bytes.h"

namespace tradewind::scenario {
namespace {

double mean_of(const Length& length) {
  if (length.kind != Length::Kind::uniform) return length.mean;
  return (length.minimum + length.maximum.value_or(length.minimum)) / 2;
}

}  // namespace

StepBounds step_bounds(const Scenario& scenario, const Serving& serving) {
  const Runtime& runtime = *scenario.runtime;
  const SchedulerOptions& options = serving.scheduler;
  StepBounds bounds;
  bounds.max_num_seqs = options.max_num_seqs.value_or(runtime.max_num_seqs);
  const int usual = runtime.balances_steps
                        ? static_cast<int>(balanced_step_tokens(scenario, serving))
                        : runtime.max_num_batched_tokens;
  bounds.max_num_batched_tokens = options.max_num_batched_tokens.value_or(usual);
  if (bounds.max_num_batched_tokens == 0) {
    constexpr double kMost = std::numeric_limits<int>::max();
    const double prompts = most_sequences(scenario, serving) * mean_tokens(serving.requests).input;
    bounds.max_num_batched_tokens = static_cast<int>(std::clamp(std::ceil(prompts), 1.0, kMost));
  }
  bounds.gpu_memory_utilization =
      options.gpu_memory_utilization.value_or(runtime.gpu_memory_utilization);
  bounds.block_size = options.block_size.value_or(runtime.kv_block_tokens);
  return bounds;
}

double balanced_step_tokens(const Scenario& scenario, const Serving& serving) {
  constexpr double kFewest = 2048, kMost = 32768;
  const Runtime& runtime = *scenario.runtime;
  const model::ModelConfig& model = *scenario.model;
  const MeanTokens mean = mean_tokens(serving.requests);
  const double devices = scenario.plan.group() * scenario.plan.pp;
  const double memory = devices * scenario.cluster->accelerator().hbm_capacity_bytes;
  const double weights =
      model::weight_bytes(model, scenario.precision, model::WeightAccounting::checkpoint);
  const double cache = runtime.kv_cache_free_share * std::max(0.0, memory - weights);
  const double group = scenario.plan.group();
  const double of_request =
      group * model::kv_bytes(model, all_layers(model), scenario.precision.kv_cache, mean.total(),
                              scenario.plan.group());
  const double seats = serving.scheduler.max_num_seqs.value_or(runtime.max_num_seqs);
  const double held = std::min(seats, cache / std::max(of_request, 1.0));
  return std::clamp(held * (1 + mean.input / mean.output), kFewest, kMost);
}

MeanTokens mean_tokens(const RequestSource& requests) {
  if (!requests.file) return {mean_of(requests.input), mean_of(requests.output)};
  MeanTokens mean;
  for (const Request& request : *requests.file) {
    mean.input += request.input_tokens;
    mean.output += request.output_tokens;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(requests.file->size(), 1));
  return {mean.input / count, mean.output / count};
}

int most_sequences(const Scenario& scenario, const Serving& serving) {
  int asked = serving.requests.count;
  if (serving.arrival.kind == Arrival::Kind::closed_loop) {
    asked = std::min(asked, serving.arrival.concurrency);
  }
  const int replicas = scenario.plan.dp;
  const int of_replica = asked / replicas + (asked % replicas > 0 ? 1 : 0);
  const int most = serving.scheduler.max_num_seqs.value_or(scenario.runtime->max_num_seqs);
  return std::clamp(of_replica, 1, most);
}

}  // namespace tradewind::scenario
