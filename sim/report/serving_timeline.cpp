#include "sim/report/serving_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/report/chrome_trace.h"

namespace tradewind::report {
namespace {

using workload::StepSample;

/// The lanes of all replicas, as many of each as steps of it overlap.
class Lanes {
 public:
  /// The lane of that replica that is free longest; a new one when all are taken.
  std::size_t take(const StepSample& step) {
    std::size_t best = lanes_.size();
    int of_replica = 0;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (lanes_[i].process != step.replica) continue;
      ++of_replica;
      if (free_[i] > step.start) continue;
      if (best == lanes_.size() || free_[i] < free_[best]) best = i;
    }
    if (best == lanes_.size()) {
      lanes_.push_back({step.replica, static_cast<int>(lanes_.size()),
                        fmt::format("replica {}", step.replica),
                        fmt::format("steps {}", of_replica)});
      free_.emplace_back();
    }
    free_[best] = step.end;
    return best;
  }
  const std::vector<TraceLane>& lanes() const { return lanes_; }

 private:
  std::vector<TraceLane> lanes_;
  std::vector<Time> free_;
};

std::string step_name(const StepSample& step) {
  if (step.chunks == 0) return fmt::format("{} decode", step.decodes);
  if (step.decodes == 0) return fmt::format("{} prompt tokens", step.chunk_tokens);
  return fmt::format("{} decode + {} prompt tokens", step.decodes, step.chunk_tokens);
}

}  // namespace

std::string serving_timeline(const workload::ServingOutcome& outcome) {
  std::vector<StepSample> steps = outcome.steps.kept;
  std::stable_sort(steps.begin(), steps.end(),
                   [](const StepSample& a, const StepSample& b) { return a.start < b.start; });
  Lanes lanes;
  std::vector<std::size_t> lane_of;
  lane_of.reserve(steps.size());
  for (const StepSample& step : steps) lane_of.push_back(lanes.take(step));
  const std::string category =
      outcome.steps.stride > 1 ? fmt::format("every {}. step", outcome.steps.stride) : "step";
  std::string text;
  ChromeTrace trace(lanes.lanes(), [&](std::string_view piece) { text += piece; });
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepSample& step = steps[i];
    const std::string name = step_name(step);
    const std::array<TraceArgument, 6> arguments = {
        {{"decodes", std::int64_t{step.decodes}},
         {"prompts", std::int64_t{step.chunks}},
         {"prompt tokens", std::int64_t{step.chunk_tokens}},
         {"running", std::int64_t{step.running}},
         {"waiting", std::int64_t{step.waiting}},
         {"KV blocks", step.used_blocks}}};
    trace.slice({.lane = lane_of[i],
                 .name = name,
                 .category = category,
                 .start = step.start,
                 .duration = step.end - step.start,
                 .arguments = arguments});
  }
  trace.finish();
  return text;
}

}  // namespace tradewind::report
