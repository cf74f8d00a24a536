#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tradewind::scenario {

/// Names of the pipeline schedules (lowering/schedule/schedule.h has one entry for each).
inline constexpr std::array<std::string_view, 9> kScheduleNames = {
    "gpipe", "1f1b", "interleaved-1f1b", "zb-h1", "zb-h2", "zb-1p", "zb-2p", "zb-v", "dualpipe"};

/// Which activations the backward pass computes again instead of keeping them.
enum class Recompute {
  none,
  selective,  ///< what the runtime means by it (runtime.h)
  full,       ///< all but the input of each layer
};
inline constexpr std::array<std::string_view, 3> kRecomputeNames = {"none", "selective", "full"};

/// One optimizer step.
struct Training {
  int sequence_length = 4096;
  int micro_batch = 1;   ///< sequences of one replica in one pass
  int global_batch = 1;  ///< sequences of all replicas in the step
  std::string schedule = "1f1b";
  Recompute recompute = Recompute::none;
};

}  // namespace tradewind::scenario
