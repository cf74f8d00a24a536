#pragma once

#include <string>
#include <vector>

#include "sim/workload/training_schedule.h"

namespace tradewind::report {

/// A part of a step that is drawn.
struct PictureWindow {
  std::string title;
  Time begin, end;
};

/// The whole step where its passes can be told apart, else its beginning and its end.
std::vector<PictureWindow> picture_windows(const workload::TrainingSchedule& schedule);

/// Stages x time as SVG: passes by colour, with the number of their micro-batch where it fits and
/// later chunks paler; below each stage's row what data parallelism moves and what is sent.
std::string schedule_picture(const workload::TrainingSchedule& schedule,
                             const PictureWindow& window);

/// The colours of the parts that the step has, as HTML.
std::string schedule_legend(const workload::TrainingSchedule& schedule);

}  // namespace tradewind::report
