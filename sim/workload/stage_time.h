#pragma once

#include <array>

#include "sim/lowering/pass.h"
#include "sim/workload/region_times.h"

namespace tradewind::workload {

/// The same run under three rules; the differences between them are results.
enum class Variant {
  simulated,
  without_communication,  ///< every communication task takes no time
  speed_of_light,         ///< every kernel at its datasheet roof, no latency, no host
};
inline constexpr std::size_t kVariantCount = 3;
template <class Value>
using PerVariant = std::array<Value, kVariantCount>;

/// Times passes on one stage under one rule: what the engine finds on the unfolded graph, to the
/// picosecond (tests/workload/unfolded_test.cpp). Kernels are a max-plus chain whose powers are
/// closed (lowering/chain.h), regions are simulated once.
class StageClock {
 public:
  StageClock(const lowering::PassKernels& pass, const lowering::LaunchCost& launch, Variant variant,
             RegionTimes& regions);

  /// The pass on one stage, from a host and a device that start free.
  Time stage(const lowering::StageLayout& layout) const;

 private:
  /// A segment: as a chain, or where it must be stepped through, as it is.
  struct Part {
    lowering::ChainTime chain;
    const lowering::Segment* stepped = nullptr;
    Time all_launched;  ///< of a stepped one
  };
  /// Where host and device stand.
  struct Clock {
    Time host, device;
  };

  Part part_of(const lowering::Segment& segment) const;
  lowering::ChainTime chain_of(const lowering::Step& step) const;
  Clock after(Clock clock, const lowering::Segment& segment) const;
  Clock after(Clock clock, const Part& part, int times) const;

  const lowering::LaunchCost& launch_;
  Variant variant_;
  RegionTimes& regions_;
  Part embedding_, take_over_, head_;
  std::array<Part, lowering::kLayerClassCount> layer_;
};

/// Every resource at its datasheet peak: computation and communication of a region side by side.
Time speed_of_light(const lowering::Segment& segment);

}  // namespace tradewind::workload
