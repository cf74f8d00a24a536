#pragma once

#include <string>
#include <vector>

#include "sim/report/block_timeline.h"

namespace tradewind::report {

/// A timeline and what it shows: "flash".
struct NamedTimeline {
  std::string name;
  BlockTimeline timeline;
};

/// The timelines below each other on one time axis, as an SVG element: for each rank a compute lane
/// and its communication lanes, slices in the colours of their order, kernels outside regions in
/// grey. Every bar has a title with name, slice and times. Colours come from the page's variables.
std::string block_picture(const std::vector<NamedTimeline>& timelines);

}  // namespace tradewind::report
