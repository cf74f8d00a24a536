#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/time.h"
#include "sim/engine/engine.h"
#include "sim/lowering/schedule/step_graph.h"

namespace tradewind::workload {

/// What a stage does for a while.
enum class StepPart : std::uint8_t {
  forward,
  backward,
  backward_input,
  backward_weight,
  send_activations,  ///< to the next chunk's stage
  send_gradients,    ///< to the stage of the chunk before
  gather,
  reduce,
  agreement,
  optimizer,
};
inline constexpr std::array<std::string_view, 10> kStepPartNames = {
    "forward",          "backward",       "input gradient",    "weight gradient",
    "send activations", "send gradients", "gather parameters", "reduce gradients",
    "gradient norm",    "optimizer"};
constexpr std::string_view to_string(StepPart part) {
  return kStepPartNames[static_cast<std::size_t>(part)];
}

/// A task as the engine ran it.
struct ScheduledTask {
  StepPart part = StepPart::forward;
  bool has_micro_batch = false;  ///< else of the whole step: the next two say nothing
  int micro_batch = 0;
  int chunk = 0;   ///< of the model
  int stage = 0;   ///< the pipeline's device
  int stream = 0;  ///< tasks of one stream run one after the other
  Time start, finish;
};

/// One training step. Tasks that took no time are left out.
struct TrainingSchedule {
  int stages = 0;
  int chunks = 0;
  Time step;                         ///< from one step's start to the next one's
  std::vector<ScheduledTask> tasks;  ///< by rising start
};

TrainingSchedule training_schedule(const lowering::StepGraph& graph,
                                   const engine::Timeline& timeline, int chunks, Time step);

}  // namespace tradewind::workload
