#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validation/trace.h"

namespace tradewind::validation {

/// |simulated / measured - 1| over some figures.
struct TraceAccuracy {
  std::size_t figures = 0;
  double mape = 0, median = 0, p90 = 0;
};

/// The measurements of one runtime on one architecture and split, to be held against the runtime
/// with other constants.
class RuntimeSample {
 public:
  /// `point` must outlive the sample.
  void add(const TracePoint& point);

  bool empty() const { return figures_.empty(); }
  /// Runtimes serve or train.
  bool is_training() const {
    return std::holds_alternative<scenario::Training>(points_.front().scenario.workload);
  }
  const hardware::Accelerator& accelerator() const {
    return points_.front().scenario.cluster->accelerator();
  }

  /// simulated / measured of each figure, nothing where there is no answer.
  std::vector<std::optional<double>> ratios(const scenario::Runtime& runtime) const;

  /// A figure that is not sure of itself counts less: by the square of its spread, as in any least
  /// squares, from 5 % on.
  std::vector<double> weights() const;

  /// A figure without an answer is 100 % off.
  TraceAccuracy accuracy(const scenario::Runtime& runtime) const;

 private:
  /// By the place of its scenario among those simulated.
  struct Figure {
    std::size_t point;
    const Measurement* measurement;
  };

  std::vector<TracePoint> points_;  ///< one of each scenario, however often it was measured
  std::map<std::string, std::size_t> place_by_scenario_;
  std::vector<Figure> figures_;
};

}  // namespace tradewind::validation
