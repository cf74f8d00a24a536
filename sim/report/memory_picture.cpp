#include "sim/report/memory_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/report/number_text.h"
#include "sim/report/svg_axis.h"

namespace tradewind::report {
namespace {

using scenario::MemoryUse;

constexpr double kWidth = 1240, kLeft = 76, kRight = 16, kRow = 20, kGap = 4;

struct Part {
  const char* name;
  double MemoryUse::*member;
  const char* colour;  ///< Okabe and Ito
};
constexpr Part kParts[] = {{"weights", &MemoryUse::weights_bytes, "#0072b2"},
                           {"gradients", &MemoryUse::gradients_bytes, "#d55e00"},
                           {"optimizer", &MemoryUse::optimizer_bytes, "#cc79a7"},
                           {"activations", &MemoryUse::activations_bytes, "#009e73"},
                           {"reserved", &MemoryUse::reserved_bytes, "#9aa6b0"}};

}  // namespace

std::string memory_picture(const scenario::MemoryReport& memory) {
  double most = 0;
  for (const MemoryUse& use : memory.stages) {
    most = std::max({most, use.used_bytes(), use.capacity_bytes});
  }
  if (most <= 0) return {};
  const double end_gb = 1.02 * most / 1e9;
  const auto x_of = [&](double bytes) {
    return kLeft + (kWidth - kLeft - kRight) * bytes / 1e9 / end_gb;
  };
  const double bottom = static_cast<double>(memory.stages.size()) * (kRow + kGap);
  std::string bars;
  for (std::size_t stage = 0; stage < memory.stages.size(); ++stage) {
    const MemoryUse& use = memory.stages[stage];
    const double y = static_cast<double>(stage) * (kRow + kGap);
    fmt::format_to(std::back_inserter(bars),
                   "<text class=\"lane\" x=\"{}\" y=\"{:.1f}\">stage {}</text>\n", kLeft - 8,
                   y + kRow / 2 + 4, stage);
    double before = 0;
    for (const Part& part : kParts) {
      const double bytes = use.*part.member;
      if (bytes <= 0) continue;
      fmt::format_to(std::back_inserter(bars),
                     "<g><title>stage {}, {}: {}</title><rect class=\"slice\" x=\"{:.2f}\" "
                     "y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"/></g>\n",
                     stage, part.name, gigabytes(bytes), x_of(before), y,
                     x_of(before + bytes) - x_of(before), kRow, part.colour);
      before += bytes;
    }
    fmt::format_to(std::back_inserter(bars), "<path class=\"end\" d=\"M{:.1f} {:.1f}v{}\"/>\n",
                   x_of(use.capacity_bytes), y - kGap / 2, kRow + kGap);
  }
  const SvgAxis axis = svg_axis(
      0, end_gb, "GB", {.left = kLeft, .right = kWidth - kRight, .top = 0, .bottom = bottom});
  std::string legend = "<p class=\"legend\">";
  for (const Part& part : kParts) {
    legend += fmt::format("<span><i style=\"background:{}\"></i>{}</span>", part.colour, part.name);
  }
  return fmt::format(
      "{}</p>\n<div class=\"scroll\"><svg class=\"timeline\" viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"Memory by pipeline stage\">\n{}{}{}</svg></div>\n",
      legend, kWidth, bottom + axis.height, axis.grid, bars, axis.labels);
}

}  // namespace tradewind::report
