#include "sim/workload/serving/pools.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/model/cache_bytes.h"

namespace tradewind::workload {

using scenario::Disaggregated;
using scenario::PoolPlan;
using scenario::Scenario;

Scenario pool_scenario(const Scenario& scenario, const PoolPlan& pool) {
  Scenario one = scenario;
  one.plan.pools.reset();
  one.plan.tp = pool.tp;
  one.plan.pp = pool.pp;
  one.plan.dp = pool.dp;
  return one;
}

std::string pools_reason(const Scenario& scenario, Result& result) {
  const Disaggregated& pools = *scenario.plan.pools;
  if (!std::holds_alternative<scenario::Serving>(scenario.workload)) {
    return "prefill and decode pools are for serving";
  }
  const int devices = scenario.plan.devices();
  if (devices > scenario.cluster->devices()) {
    return fmt::format("the pools need {} devices (prefill {}, decode {}), {} has {}", devices,
                       pools.prefill.devices(), pools.decode.devices(), scenario.cluster->name,
                       scenario.cluster->devices());
  }
  const std::pair<const char*, PoolPlan> named[] = {{"prefill", pools.prefill},
                                                    {"decode", pools.decode}};
  for (const auto& [name, pool] : named) {
    const Scenario one = pool_scenario(scenario, pool);
    std::string reason = scenario::structural_reason(one);
    if (reason.empty()) {
      result.memory = scenario::memory_of(one);
      reason = scenario::memory_reason(one, *result.memory);
    }
    if (!reason.empty()) return fmt::format("{} pool: {}", name, reason);
  }
  return {};
}

Time cache_transfer(const RunContext& context, const Disaggregated& pools, std::int64_t tokens) {
  const Scenario& scenario = context.scenario;
  const hardware::Node& node = scenario.cluster->node;
  const int senders =
      std::min(pools.prefill.tp * pools.prefill.pp, pools.decode.tp * pools.decode.pp);
  const bool same_node = pools.prefill.devices() + pools.decode.devices() <= node.devices;
  double bytes =
      model::kv_bytes(*scenario.model, scenario.precision.kv_cache, static_cast<double>(tokens)) /
      senders;
  if (!same_node) {
    const int nics = std::max(1, scenario.cluster->network->nics_per_node);
    const int on_node = std::min(senders, node.devices);
    bytes *= std::max(1, std::min(on_node, (node.devices + nics - 1) / nics));
  }
  return Time::from_seconds(context.book.point_to_point(bytes, same_node).duration_s);
}

}  // namespace tradewind::workload
