#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/scenario/catalogue.h"
#include "validation/trace.h"
#include "validation/validation.h"

namespace tradewind::validation {

/// The mean error that a device may have from its datasheet and a relative alone.
inline constexpr double kWithheldTolerance = 0.15;

/// A device as if nobody had measured it: `validate --withhold h200` answers for its points, and
/// for no others, with what was fitted on it withheld.
///
/// Accelerators of that family (hardware::family_of) take kernels, launch times, contention and the
/// driver's share of the memory from the nearest measured part (hardware/nearest.h), and what a
/// large product sustains from the nearest of their architecture. Runtimes take
/// their host times and rates from the architecture of that part. Where a runtime was measured on
/// no other architecture of the vendor, they are its own and a note says so: host times and rates
/// are then all that is known of a software release, whatever it runs on.
class Withheld {
 public:
  /// Throws InputError for a family that is not in the catalogue, or has no relative.
  Withheld(const std::string& family, scenario::Catalogue& catalogue);

  /// The cluster with what was measured on it withheld; as it is where `concerns` says no.
  bool concerns(const hardware::Cluster& cluster) const;
  hardware::Cluster without_measurements(hardware::Cluster cluster) const;

  /// The points of the device, on it without measurements.
  std::vector<TracePoint> points(std::vector<TracePoint> points);

  /// What was withheld and what stands in, for people; complete once the points are known.
  std::vector<std::string> notes() const;

 private:
  std::shared_ptr<const scenario::Runtime> runtime_of(const TracePoint& point);

  std::string family_;
  scenario::Catalogue* catalogue_;
  std::vector<hardware::Accelerator> others_;  ///< the catalogue's, without the family
  std::map<std::string, hardware::Accelerator>
      stand_ins_;                                     ///< by the accelerator they stand in for
  std::map<std::string, std::string> runtime_notes_;  ///< by runtime
};

/// The mean error over the static batches of a validation: a figure that is less sure of itself
/// than kWithheldTolerance is no judge of anything. Nothing where there are no others.
std::optional<double> mean_error_of_static_batches(const Validation& validation);

}  // namespace tradewind::validation
