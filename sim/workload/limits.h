#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/time.h"
#include "sim/scenario/scenario.h"

namespace tradewind::workload {

/// What the time of a pass beyond its unsliced computation is spent on, in the order in which it is
/// added to the computation.
enum class Limit {
  small_slices,   ///< slices are computed less efficiently than the whole, and partial sums added
  launch,         ///< the host's launches of more kernels, the gaps of a replayed graph
  latency,        ///< messages and barriers that take their latency and carry nothing
  link,           ///< bytes on links
  compute_units,  ///< computation slowed by transfers that hold compute units
  hbm,            ///< computation and transfers that share HBM
  power,          ///< computation slowed by transfers that draw power
};
inline constexpr std::size_t kLimitCount = 7;
inline constexpr std::array<std::string_view, kLimitCount> kLimitNames = {
    "small slices", "launch", "latency", "link", "compute units", "HBM", "power"};

constexpr std::string_view to_string(Limit limit) {
  return kLimitNames[static_cast<std::size_t>(limit)];
}

/// One pass through all stages, sends between stages apart, on a rank of nominal speed.
struct PassLimits {
  std::string phase;  ///< "prefill", "decode", "block"
  Time computation;   ///< of the plan without overlap, launches included
  /// By Limit; `computation` and these sum to the pass. A term is what the pass takes longer once
  /// the engine also counts it, after those before it: what hides behind them is not counted, and
  /// a term may be negative (a larger slice that spreads over waves better).
  std::array<Time, kLimitCount> beyond{};

  Time total() const;
  /// The largest term; none where the pass takes no longer than its computation.
  std::optional<Limit> largest() const;
};

/// The prefill of the first nano-batch and a decode pass at mean context; of serving a full step of
/// prompts and one of decoding sequences; or the block.
/// REQUIRES: no structural_reason.
std::vector<PassLimits> pass_limits(const scenario::Scenario& scenario);

}  // namespace tradewind::workload
