#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tradewind::scenario {

struct Scenario;

/// Bytes on one device.
struct MemoryUse {
  double weights_bytes = 0;
  double kv_cache_bytes = 0;   ///< and the states of Mamba layers
  double gradients_bytes = 0;  ///< training only, as the optimizer's states
  double optimizer_bytes = 0;
  double activations_bytes = 0;
  double reserved_bytes = 0;
  double capacity_bytes = 0;

  double used_bytes() const {
    return weights_bytes + kv_cache_bytes + gradients_bytes + optimizer_bytes + activations_bytes +
           reserved_bytes;
  }
  bool fits() const { return used_bytes() <= capacity_bytes; }
};

/// Memory of a plan, stage by stage, and what it leaves.
struct MemoryReport {
  std::vector<MemoryUse> stages;
  int fullest = 0;                            ///< index of the stage with the least room
  std::int64_t kv_cache_capacity_tokens = 0;  ///< per replica, over all its sequences
  std::int64_t max_batch = 0;                 ///< largest feasible static batch at these lengths

  const MemoryUse& fullest_stage() const { return stages[static_cast<std::size_t>(fullest)]; }
};

/// Why the plan can't be laid on this model and cluster at all (devices, divisibility, data types,
/// positions), or empty. Asked first: memory is defined only for plans that divide.
std::string structural_reason(const Scenario& scenario);

/// Weights, KV cache, activations and reserve of each stage. REQUIRES: no structural_reason.
MemoryReport memory_of(const Scenario& scenario);

/// Why it does not fit, with the terms and the largest batch that would, or empty.
std::string memory_reason(const Scenario& scenario, const MemoryReport& memory);

}  // namespace tradewind::scenario
