#include "sim/report/schedule_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "sim/report/svg_axis.h"

namespace tradewind::report {
namespace {

using workload::ScheduledTask;
using workload::StepPart;
using workload::TrainingSchedule;

// Pixels of the drawing, which the page scales as a whole.
constexpr double kWidth = 1240, kLeft = 76, kRight = 16;
constexpr double kPassRow = 22, kLowPassRow = 14, kTransferRow = 6, kStageGap = 4;
constexpr int kManyStages = 16;
constexpr double kLetter = 5.4;      ///< of a 9 px digit
constexpr double kNarrowest = 0.35;  ///< a bar that is thinner can't be seen
constexpr double kMostPasses = 110;  ///< of a stage beside each other
constexpr double kPalest = 0.45;     ///< of a stage's last chunk

/// Okabe and Ito's, in the order of StepPart.
constexpr std::array<const char*, workload::kStepPartNames.size()> kColours = {
    "#0072b2", "#d55e00", "#e69f00", "#009e73", "#9aa6b0",
    "#9aa6b0", "#56b4e9", "#6a3d9a", "#9aa6b0", "#cc79a7"};

const char* colour_of(StepPart part) {
  return kColours[static_cast<std::size_t>(part)];
}

enum class Row { passes, data_parallel, sends };

Row row_of(StepPart part) {
  if (part == StepPart::gather || part == StepPart::reduce) return Row::data_parallel;
  const bool sends = part == StepPart::send_activations || part == StepPart::send_gradients;
  return sends ? Row::sends : Row::passes;
}

/// Layers of one pass that follow each other at once are one bar.
std::vector<ScheduledTask> bars_of(const TrainingSchedule& schedule) {
  std::vector<ScheduledTask> bars;
  std::vector<std::size_t> last(static_cast<std::size_t>(schedule.stages), 0);
  for (const ScheduledTask& task : schedule.tasks) {
    std::size_t& before = last[static_cast<std::size_t>(task.stage)];
    const bool passes = row_of(task.part) == Row::passes;
    if (passes && before < bars.size()) {
      ScheduledTask& bar = bars[before];
      if (bar.stage == task.stage && bar.part == task.part && bar.chunk == task.chunk &&
          bar.micro_batch == task.micro_batch && bar.finish == task.start) {
        bar.finish = task.finish;
        continue;
      }
    }
    if (passes) before = bars.size();
    bars.push_back(task);
  }
  return bars;
}

Time end_of(const TrainingSchedule& schedule) {
  Time end;
  for (const ScheduledTask& task : schedule.tasks) end = std::max(end, task.finish);
  return end;
}

class Picture {
 public:
  Picture(const TrainingSchedule& schedule, const PictureWindow& window)
      : schedule_(schedule), window_(window) {
    const std::vector<ScheduledTask> bars = bars_of(schedule);
    for (const ScheduledTask& bar : bars)
      has_row_[static_cast<std::size_t>(row_of(bar.part))] = true;
    place_rows();
    for (const ScheduledTask& bar : bars) add(bar);
  }

  std::string text() const {
    const SvgAxis axis =
        svg_axis(window_.begin.milliseconds(), window_.end.milliseconds(), "time, ms",
                 {.left = kLeft, .right = kWidth - kRight, .top = 0, .bottom = bottom_});
    return fmt::format(
        "<svg class=\"timeline\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n"
        "{}{}{}{}</svg>\n",
        kWidth, bottom_ + axis.height, window_.title, tracks_, axis.grid, body_, axis.labels);
  }

 private:
  double x_of(Time time) const {
    const double share = (time - window_.begin).seconds() / (window_.end - window_.begin).seconds();
    return kLeft + (kWidth - kLeft - kRight) * std::clamp(share, 0.0, 1.0);
  }
  double height_of(Row row) const {
    if (row != Row::passes) return kTransferRow;
    return schedule_.stages > kManyStages ? kLowPassRow : kPassRow;
  }
  double top_of(int stage, Row row) const {
    return stage * stage_height_ + offset_[static_cast<std::size_t>(row)];
  }

  void place_rows() {
    double top = 0;
    for (const Row row : {Row::passes, Row::data_parallel, Row::sends}) {
      offset_[static_cast<std::size_t>(row)] = top;
      if (row == Row::passes || has_row_[static_cast<std::size_t>(row)]) top += height_of(row) + 1;
    }
    stage_height_ = top + kStageGap;
    bottom_ = stage_height_ * schedule_.stages;
    for (int stage = 0; stage < schedule_.stages; ++stage) {
      const double y = stage * stage_height_;
      fmt::format_to(
          std::back_inserter(tracks_),
          "<text class=\"lane\" x=\"{}\" y=\"{:.1f}\">stage {}</text>"
          "<rect class=\"track\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\"/>\n",
          kLeft - 8, y + height_of(Row::passes) / 2 + 4, stage, kLeft, y, kWidth - kLeft - kRight,
          top - 1);
    }
  }

  /// Chunks of a stage from dark to pale, in the order in which a micro-batch passes them.
  double opacity_of(const ScheduledTask& task) const {
    const int turns = schedule_.chunks / schedule_.stages;
    if (turns <= 1 || !task.has_micro_batch) return 1;
    const int turn = task.chunk / schedule_.stages;
    return 1 - (1 - kPalest) * turn / (turns - 1);
  }

  void add(const ScheduledTask& bar) {
    if (bar.finish <= window_.begin || bar.start >= window_.end) return;
    const Row row = row_of(bar.part);
    const double x = x_of(bar.start), y = top_of(bar.stage, row), height = height_of(row);
    const double width = std::max(kNarrowest, x_of(bar.finish) - x);
    std::string title(to_string(bar.part));
    if (bar.has_micro_batch) {
      title += fmt::format(", micro-batch {}, chunk {}", bar.micro_batch, bar.chunk);
    }
    const std::string number = std::to_string(bar.micro_batch);
    const bool labelled = row == Row::passes && bar.has_micro_batch &&
                          static_cast<double>(number.size()) * kLetter + 1 <= width;
    fmt::format_to(
        std::back_inserter(body_),
        "<g><title>{}: {:.3f} to {:.3f} ms</title><rect class=\"slice\" x=\"{:.2f}\" y=\"{:.1f}\" "
        "width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\" fill-opacity=\"{:.2f}\"/>",
        title, bar.start.milliseconds(), bar.finish.milliseconds(), x, y, width, height,
        colour_of(bar.part), opacity_of(bar));
    if (labelled) {
      fmt::format_to(std::back_inserter(body_),
                     "<text class=\"bar small\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x + width / 2,
                     y + height / 2 + 3.2, number);
    }
    body_ += "</g>\n";
  }

  const TrainingSchedule& schedule_;
  const PictureWindow& window_;
  std::array<bool, 3> has_row_{};
  std::array<double, 3> offset_{};
  double stage_height_ = 0, bottom_ = 0;
  std::string tracks_, body_;
};

}  // namespace

std::vector<PictureWindow> picture_windows(const TrainingSchedule& schedule) {
  const std::vector<ScheduledTask> bars = bars_of(schedule);
  const auto passes = std::ranges::count_if(
      bars, [](const ScheduledTask& bar) { return row_of(bar.part) == Row::passes; });
  const Time end = end_of(schedule);
  const double of_stage = static_cast<double>(passes) / std::max(1, schedule.stages);
  if (of_stage <= kMostPasses) return {{"The whole step", Time{}, end}};
  const Time length = Time::from_seconds(end.seconds() * kMostPasses / of_stage);
  return {{"How the step begins", Time{}, length}, {"How it ends", end - length, end}};
}

std::string schedule_picture(const TrainingSchedule& schedule, const PictureWindow& window) {
  return Picture(schedule, window).text();
}

std::string schedule_legend(const TrainingSchedule& schedule) {
  std::array<bool, kColours.size()> used{};
  for (const ScheduledTask& task : schedule.tasks) used[static_cast<std::size_t>(task.part)] = true;
  std::string html = "<p class=\"legend\">";
  for (std::size_t part = 0; part < used.size(); ++part) {
    if (!used[part]) continue;
    html += fmt::format("<span><i style=\"background:{}\"></i>{}</span>", kColours[part],
                        workload::kStepPartNames[part]);
  }
  return html + "</p>\n";
}

}  // namespace tradewind::report
