#pragma once

#include <algorithm>
#include <cmath>

namespace tradewind::kernels {

/// The larger of two limits on the way to being both: (a^4 + b^4)^(1/4), 19 % over max where they
/// are equal, within 2 % of it where one is twice the other. Kernels that overlap two resources
/// slow down like this near the balance point; and a fit needs the slope. For a, b >= 0, a + b > 0.
inline double smooth_max(double a, double b) {
  const double larger = std::max(a, b);
  const double ratio = std::min(a, b) / larger;
  const double square = ratio * ratio;
  return larger * std::sqrt(std::sqrt(1 + square * square));
}

}  // namespace tradewind::kernels
