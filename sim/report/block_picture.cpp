#include "sim/report/block_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "sim/report/html_text.h"
#include "sim/report/svg_axis.h"

namespace tradewind::report {
namespace {

// Pixels of the drawing, which the page scales as a whole.
constexpr double kWidth = 1240, kLeft = 132, kRight = 16;
constexpr double kHeading = 26, kComputeLane = 24, kSendLane = 12, kThinLane = 7, kLaneGap = 2;
constexpr double kRankGap = 8, kStrategyGap = 14, kAxis = 34;
constexpr double kLetter = 6.2;      ///< of an 11 px label, generous
constexpr double kNarrowest = 0.35;  ///< a bar that is thinner can't be seen
constexpr std::size_t kFewLanes = 2;

struct Colour {
  double red, green, blue;
};
/// Dark to light, so that the order survives colour blindness and grey printing.
constexpr std::array<Colour, 5> kRamp = {Colour{68, 34, 120}, Colour{52, 94, 150},
                                         Colour{32, 148, 140}, Colour{110, 196, 90},
                                         Colour{246, 218, 60}};

Colour colour_of_slice(int slice, int slices) {
  const double at = slices > 1 ? static_cast<double>(slice) / (slices - 1) * (kRamp.size() - 1) : 1;
  const auto below = std::min(static_cast<std::size_t>(at), kRamp.size() - 2);
  const double part = at - static_cast<double>(below);
  const auto mix = [&](double Colour::*channel) {
    return (1 - part) * kRamp[below].*channel + part * kRamp[below + 1].*channel;
  };
  return {mix(&Colour::red), mix(&Colour::green), mix(&Colour::blue)};
}

/// Black or white, whichever is read more easily (relative luminance, ITU-R BT.709).
const char* ink_on(const Colour& colour) {
  const double light = 0.2126 * colour.red + 0.7152 * colour.green + 0.0722 * colour.blue;
  return light > 125 ? "#111" : "#fff";
}

std::string time_text(Time time) {
  return time.milliseconds() >= 1 ? fmt::format("{:.3f} ms", time.milliseconds())
                                  : fmt::format("{:.1f} µs", time.microseconds());
}

class Picture {
 public:
  explicit Picture(const std::vector<NamedTimeline>& timelines) {
    for (const NamedTimeline& named : timelines) {
      end_ms_ = std::max(end_ms_, named.timeline.makespan.milliseconds());
    }
    for (const NamedTimeline& named : timelines) add(named);
    add_axis();
  }

  std::string text() const {
    return fmt::format(
        "<svg class=\"timeline\" viewBox=\"0 0 {} {}\" role=\"img\" "
        "aria-label=\"Timeline of one layer by strategy\">\n{}{}</svg>\n",
        kWidth, top_, grid_, body_);
  }

 private:
  template <class... Values>
  void draw(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Values>(values)...);
  }

  double x_of(Time time) const {
    return kLeft + (kWidth - kLeft - kRight) * time.milliseconds() / end_ms_;
  }

  void add(const NamedTimeline& named) {
    const BlockTimeline& timeline = named.timeline;
    draw("<text class=\"strategy\" x=\"0\" y=\"{:.1f}\">{}</text>\n", top_ + 17,
         escaped(named.name));
    draw("<text class=\"soft\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", kLeft, top_ + 17,
         time_text(timeline.makespan));
    top_ += kHeading;
    const double begin = top_;
    for (std::size_t first = 0; first < timeline.lanes.size();) {
      std::size_t last = first;
      while (last < timeline.lanes.size() &&
             timeline.lanes[last].device == timeline.lanes[first].device) {
        ++last;
      }
      add_rank(timeline, first, last);
      first = last;
    }
    const double end = x_of(timeline.makespan);
    draw("<path class=\"end\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>\n", end, begin, top_ - kRankGap);
    top_ += kStrategyGap - kRankGap;
  }

  /// The lanes first .. last - 1 of one device.
  void add_rank(const BlockTimeline& timeline, std::size_t first, std::size_t last) {
    const std::size_t sends = last - first - (timeline.lanes[first].computes ? 1 : 0);
    for (std::size_t i = first; i < last; ++i) {
      const BlockTimeline::Lane& lane = timeline.lanes[i];
      const double send_height = sends > kFewLanes ? kThinLane : kSendLane;
      const double height = lane.computes ? kComputeLane : send_height;
      const bool labelled = lane.computes || i == first || timeline.lanes[i - 1].computes;
      if (labelled) {
        draw("<text class=\"lane\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", kLeft - 8,
             top_ + std::max(height, 9.0) / 2 + 4,
             lane.computes ? fmt::format("rank {} compute", lane.device)
                           : (sends > 1 ? fmt::format("{} transfers", sends) : "transfers"));
      }
      draw("<rect class=\"track\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>\n", kLeft,
           top_, kWidth - kLeft - kRight, height);
      for (const BlockTimeline::Task& task : lane.tasks) {
        add_task(task, timeline.slices, height, lane.computes);
      }
      top_ += height + kLaneGap;
    }
    top_ += kRankGap - kLaneGap;
  }

  void add_task(const BlockTimeline::Task& task, int slices, double height, bool computes) {
    const double x = x_of(task.start);
    const double width = std::max(kNarrowest, x_of(task.finish) - x);
    const std::string name = escaped(task.name);
    const std::string of_slice = task.slice >= 0 ? fmt::format(", slice {}", task.slice) : "";
    const std::string title =
        fmt::format("{}{}: {}, from {}", name, of_slice, time_text(task.finish - task.start),
                    time_text(task.start));
    std::string fill, ink;
    if (task.slice >= 0) {
      const Colour colour = colour_of_slice(task.slice, slices);
      fill = fmt::format(" fill=\"#{:02x}{:02x}{:02x}\"", std::lround(colour.red),
                         std::lround(colour.green), std::lround(colour.blue));
      ink = fmt::format(" style=\"fill:{}\"", ink_on(colour));
    }
    draw(
        "<g><title>{}</title><rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
        "height=\"{}\"{}/>",
        title, task.slice >= 0 ? "slice" : (computes ? "kernel" : "collective"), x, top_, width,
        height, fill);
    if (height >= kSendLane) add_label(task, name, x, width, height, ink);
    draw("</g>\n");
  }

  /// As much of the name as fits, else the slice alone, else nothing.
  void add_label(const BlockTimeline::Task& task, const std::string& name, double x, double width,
                 double height, const std::string& ink) {
    const std::string number = task.slice >= 0 ? std::to_string(task.slice) : "";
    const std::string whole = number.empty() ? name : fmt::format("{} {}", name, number);
    const auto fits = [&](const std::string& text) {
      return !text.empty() && static_cast<double>(text.size()) * kLetter + 4 <= width;
    };
    const std::string& label = fits(whole) ? whole : number;
    if (!fits(label)) return;
    draw("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>",
         height < kComputeLane ? "bar small" : "bar", x + width / 2, top_ + height / 2 + 3.8, ink,
         label);
  }

  void add_axis() {
    const double step = tick_step(end_ms_);
    const double bottom = top_;
    const bool in_microseconds = end_ms_ < 1;
    for (int tick = 0; tick * step <= end_ms_ * 1.0001; ++tick) {
      const double x = kLeft + (kWidth - kLeft - kRight) * tick * step / end_ms_;
      grid_ +=
          fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1}V{2:.1f}\"/>\n", x, kHeading, bottom);
      draw("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">{:.6g}</text>\n", x, bottom + 14,
           tick * step * (in_microseconds ? 1e3 : 1));
    }
    draw("<text class=\"lane\" x=\"{}\" y=\"{:.1f}\">time, {}</text>\n", kLeft - 8, bottom + 14,
         in_microseconds ? "µs" : "ms");
    top_ += kAxis;
  }

  std::string grid_, body_;  ///< the grid stands behind the rest
  double end_ms_ = 0;
  double top_ = 0;
};

}  // namespace

std::string block_picture(const std::vector<NamedTimeline>& timelines) {
  return Picture(timelines).text();
}

}  // namespace tradewind::report
