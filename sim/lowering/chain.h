#pragma once

#include <algorithm>

#include "sim/core/time.h"
#include "sim/lowering/pass.h"

namespace tradewind::lowering {

/// How long a serial chain of kernels takes, as the max-plus map of (host free, device free):
///     host'   = host + h
///     device' = max(host + both, device + d)
/// where the host launches kernel after kernel (h in all, 0 for a replayed graph) and each kernel
/// waits for its launch and for the kernel before. Chains compose associatively, so that a layer
/// repeated n times is a power: exact to the picosecond (tests/lowering/chain_test.cpp runs the
/// unfolded graph through the engine).
struct ChainTime {
  Time host;
  Time device;
  Time both;

  static ChainTime of(Time launch, Time kernel) { return {launch, kernel, launch + kernel}; }

  /// `first`, then `second`.
  friend ChainTime operator+(const ChainTime& first, const ChainTime& second) {
    return {first.host + second.host, first.device + second.device,
            std::max(first.host + second.both, first.both + second.device)};
  }
  ChainTime repeated(int count) const;

  /// From a host and a device that are both free at the start.
  Time duration() const { return std::max(both, device); }
};

/// How a runtime launches kernels in one phase.
struct LaunchCost {
  Time per_pass;    ///< once, before the first kernel of the first stage (a replayed graph)
  Time per_kernel;  ///< of the host, for each kernel (eager)
  Time gap;         ///< of the device, before each kernel of a replayed graph
};
LaunchCost launch_cost(const scenario::Runtime& runtime, Phase phase);

/// A kernel in its launch regime; without `communication` a communication kernel takes no time on
/// the device.
ChainTime chain_of(const Kernel& kernel, const LaunchCost& launch, bool communication);

}  // namespace tradewind::lowering
