#include "sim/report/svg_axis.h"

#include <fmt/format.h>

#include <cmath>

namespace tradewind::report {

double tick_step(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 10)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (range / (step * power) <= 10) return step * power;
  }
  return 10 * power;
}

SvgAxis svg_axis(double begin, double end, std::string_view title, const SvgArea& area) {
  constexpr double kHeight = 34, kLine = 14;
  SvgAxis axis{{}, {}, kHeight};
  const double step = tick_step(end - begin);
  for (double tick = std::ceil(begin / step); tick * step <= end * (1 + 1e-9); ++tick) {
    const double x = area.left + (area.right - area.left) * (tick * step - begin) / (end - begin);
    axis.grid += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>\n", x, area.top,
                             area.bottom);
    axis.labels += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">{:.6g}</text>\n", x,
                               area.bottom + kLine, tick * step);
  }
  axis.labels += fmt::format("<text class=\"lane\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                             area.left - 8, area.bottom + kLine, title);
  return axis;
}

}  // namespace tradewind::report
