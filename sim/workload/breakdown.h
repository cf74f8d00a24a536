#pragma once

#include <array>
#include <vector>

#include "sim/lowering/chain.h"
#include "sim/workload/region_times.h"
#include "sim/workload/result.h"

namespace tradewind::workload {

/// Adds up where the time of one device goes, kernel kind by kernel kind. Integer picoseconds, so
/// that the rows and what is left over sum to the makespan exactly.
class Breakdown {
 public:
  /// `times` over, a step that was launched so. Of a region the computations count as alone, and
  /// what it takes beyond them as its collective's.
  void add(std::string_view phase, const lowering::Step& step, std::int64_t times,
           const lowering::LaunchCost& launch, RegionTimes& regions);
  void add(std::string_view phase, const lowering::Segment& segment, std::int64_t times,
           const lowering::LaunchCost& launch, RegionTimes& regions);
  /// `count` launches of one kernel kind that took `total` together.
  void add(std::string_view phase, const lowering::Kernel& kernel, std::int64_t count, Time total);
  /// Time that belongs to no kernel: host, launches, waiting.
  void add_other(std::string_view phase, std::string_view name, std::int64_t count, Time total,
                 kernels::Bound bound);

  Time total() const { return total_; }
  /// With communication in flight, hidden or not.
  Time communication() const;
  /// By collective, in the order of KernelKind.
  std::vector<CommunicationRow> communication_rows() const;
  Time of(lowering::KernelKind kind) const;

  /// Largest first (ties by name), with shares of `makespan`.
  std::vector<BreakdownRow> rows(Time makespan) const;
  std::array<double, kProvenanceCount> provenance_ms() const;

 private:
  struct Row {
    std::string_view phase, kernel;
    std::int64_t count = 0;
    Time time;
    Time largest;  ///< of one contribution, whose bound speaks for the row
    kernels::Bound bound = kernels::Bound::latency;
    double speed_of_light_s = 0;
    Provenance provenance = Provenance::assumed;
  };
  Row& row(std::string_view phase, std::string_view kernel);
  static void grow(Row& row, std::int64_t count, Time time, kernels::Bound bound,
                   Provenance provenance);

  std::vector<Row> rows_;
  std::array<Time, kProvenanceCount> provenance_{};
  std::array<Time, lowering::kKernelKindCount> by_kind_{}, in_flight_{};
  Time total_;
};

}  // namespace tradewind::workload
