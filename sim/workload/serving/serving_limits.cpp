#include "sim/workload/serving/serving_limits.h"

#include <stdexcept>

#include "sim/model/cache_bytes.h"
#include "sim/scenario/step_bounds.h"

namespace tradewind::workload {

namespace {

SchedulerLimits limits_of(const scenario::Scenario& scenario, const scenario::Serving& serving) {
  const scenario::Runtime& runtime = *scenario.runtime;
  const scenario::SchedulerOptions& options = serving.scheduler;
  const scenario::StepBounds bounds = scenario::step_bounds(scenario, serving);
  SchedulerLimits limits;
  limits.max_num_seqs = bounds.max_num_seqs;
  limits.max_num_batched_tokens = bounds.max_num_batched_tokens;
  limits.enable_chunked_prefill =
      options.enable_chunked_prefill.value_or(runtime.enable_chunked_prefill);
  const std::string policy =
      options.capacity_scheduler_policy.value_or(runtime.capacity_scheduler_policy);
  limits.capacity_policy = policy == "max_utilization" ? CapacityPolicy::max_utilization
                                                       : CapacityPolicy::guaranteed_no_evict;
  limits.micro_batches = scenario.plan.nano_batch_count();
  return limits;
}

}  // namespace

Pool make_pool(const RunContext& context, const scenario::Serving& serving,
               std::int64_t kv_cache_capacity_tokens, int replicas) {
  const scenario::Scenario& scenario = context.scenario;
  const scenario::SchedulerOptions& options = serving.scheduler;
  const std::string name = options.name.empty() ? scenario.runtime->scheduler : options.name;
  Pool pool;
  pool.context = &context;
  pool.scheduler = find_scheduler(name);
  if (!pool.scheduler) throw std::logic_error("unknown scheduler " + name);
  pool.limits = limits_of(scenario, serving);
  pool.block_tokens = scenario::step_bounds(scenario, serving).block_size;
  pool.prefix_caching = options.enable_prefix_caching.value_or(false);
  const bool has_cache =
      model::kv_bytes_per_token(*scenario.model, scenario.precision.kv_cache) > 0;
  pool.capacity_blocks = has_cache ? kv_cache_capacity_tokens / pool.block_tokens : -1;
  pool.max_model_len = scenario.model->max_position_embeddings;
  pool.replicas = replicas;
  return pool;
}

}  // namespace tradewind::workload
