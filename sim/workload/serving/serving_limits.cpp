#include "sim/workload/serving/serving_limits.h"

#include <stdexcept>

#include "sim/model/cache_bytes.h"

namespace tradewind::workload {

SchedulerLimits scheduler_limits(const scenario::Scenario& scenario,
                                 const scenario::SchedulerOptions& options) {
  const scenario::Runtime& runtime = *scenario.runtime;
  SchedulerLimits limits;
  limits.max_num_seqs = options.max_num_seqs.value_or(runtime.max_num_seqs);
  limits.max_num_batched_tokens =
      options.max_num_batched_tokens.value_or(runtime.max_num_batched_tokens);
  limits.enable_chunked_prefill =
      options.enable_chunked_prefill.value_or(runtime.enable_chunked_prefill);
  const std::string policy =
      options.capacity_scheduler_policy.value_or(runtime.capacity_scheduler_policy);
  limits.capacity_policy = policy == "max_utilization" ? CapacityPolicy::max_utilization
                                                       : CapacityPolicy::guaranteed_no_evict;
  limits.micro_batches = scenario.plan.nano_batch_count();
  return limits;
}

Pool make_pool(const RunContext& context, const scenario::SchedulerOptions& options,
               std::int64_t kv_cache_capacity_tokens, int replicas) {
  const scenario::Runtime& runtime = *context.scenario.runtime;
  Pool pool;
  pool.context = &context;
  const std::string name = options.name.empty() ? runtime.scheduler : options.name;
  pool.scheduler = find_scheduler(name);
  if (!pool.scheduler) throw std::logic_error("unknown scheduler " + name);
  pool.limits = scheduler_limits(context.scenario, options);
  pool.block_tokens = options.block_size.value_or(runtime.kv_block_tokens);
  pool.prefix_caching = options.enable_prefix_caching.value_or(false);
  const bool has_cache =
      model::kv_bytes_per_token(*context.scenario.model, context.scenario.precision.kv_cache) > 0;
  pool.capacity_blocks = has_cache ? kv_cache_capacity_tokens / pool.block_tokens : -1;
  pool.replicas = replicas;
  return pool;
}

}  // namespace tradewind::workload
