#pragma once

#include <string>
#include <string_view>

namespace tradewind::report {

struct SvgArea {
  double left = 0, right = 0, top = 0, bottom = 0;  ///< pixels
};

/// A horizontal axis below an area: grid lines behind it, numbers and title under it.
struct SvgAxis {
  std::string grid, labels;
  double height = 0;  ///< that the labels need below the area
};

/// A round step that gives at most ten ticks.
double tick_step(double range);

/// REQUIRES: begin < end.
SvgAxis svg_axis(double begin, double end, std::string_view title, const SvgArea& area);

}  // namespace tradewind::report
