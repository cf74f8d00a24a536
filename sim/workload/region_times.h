#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "sim/lowering/chain.h"
#include "sim/lowering/region.h"

namespace tradewind::workload {

/// How long one region takes on a rank that stands for all.
struct RegionTime {
  Time device;     ///< from where the host is free to the region's end
  Time in_flight;  ///< of that, with a transfer under way
  Time host;       ///< its launches
};

/// What a region adds to the time of its computations, and how long it has transfers under way.
struct RegionCommunication {
  Time exposed, in_flight;
};

/// Simulates regions with the engine, one rank for all: by symmetry what a rank sends and what it
/// receives move alike. The answer depends on nothing but the region and how far the device is
/// behind the host, so each question is simulated once.
class RegionTimes {
 public:
  /// `lead`: how much later than the host the device is free (negative counts as 0). Once all
  /// launches are through before the device comes, a longer lead only shifts the end.
  RegionTime run(const std::shared_ptr<const lowering::Region>& region,
                 const lowering::LaunchCost& launch, Time lead, bool communication);

  /// Of a region whose launches are through when the device comes to it.
  RegionCommunication communication(const std::shared_ptr<const lowering::Region>& region,
                                    const lowering::LaunchCost& launch);

 private:
  using Key = std::tuple<std::shared_ptr<const lowering::Region>, Time, Time, bool>;
  std::map<Key, RegionTime> known_;
};

}  // namespace tradewind::workload
