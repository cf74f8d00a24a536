#pragma once

#include "sim/lowering/schedule/schedule.h"

namespace tradewind::lowering {

/// The handcrafted orders of arXiv 2401.10241, section 2: stage s starts with `ahead(s)` forward
/// passes, then runs backward-input and forward in turn, and puts off `behind(s)` weight gradients
/// until the end.
std::vector<StageProgram> zero_bubble_programs(const ScheduleShape& shape, int (*ahead)(int, int),
                                               int (*behind)(int));

}  // namespace tradewind::lowering
