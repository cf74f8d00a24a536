#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/sweep.h"

namespace tradewind::report {

/// Something by which the points of a sweep differ: the values it takes, as text, and each point's
/// index among them. Numbers rise; anything else stands in grid order.
struct Dimension {
  std::string label;
  std::vector<std::string> values;
  std::vector<std::size_t> of_point;
};

/// TP, PP, DP, batch and the sweep's other axes, those that take more than one value; DP
/// only where TP and PP leave it open.
std::vector<Dimension> dimensions(const study::SweepResults& results);

/// What curves run over: the batch, else the first other axis of numbers that varies.
struct CurveAxis {
  std::string label;
  std::string path;  ///< the axis, which a curve's label leaves out; empty for the batch
  std::vector<double> of_point;
};
std::optional<CurveAxis> curve_axis(const study::SweepResults& results);

}  // namespace tradewind::report
