#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/lowering/mixed_pass.h"
#include "sim/workload/breakdown.h"
#include "sim/workload/pass_times.h"

namespace tradewind::workload {

/// Prices the steps of one replica. All that a step's tokens decide is priced once for every number
/// of tokens; attention and recurrences are priced for each step. Nothing is rounded or
/// interpolated: an answer is what time_pass finds for the step's kernels
/// (tests/workload/step_pricer_test.cpp).
class StepPricer {
 public:
  /// `context` must outlive it.
  explicit StepPricer(const RunContext& context)
      : context_(context), forgotten_(context.stages.size()) {}

  /// Times of one step, which is counted for the breakdown. `context_tokens` are those of all its
  /// sequences together. Valid until the next call.
  const PassTimes& price(const lowering::MixedShape& shape, double context_tokens);

  /// Where a device of `stage` spent its time in all steps priced so far, launches and waiting
  /// apart.
  Breakdown breakdown(std::size_t stage) const;

 private:
  /// A Mamba layer's convolution and recurrence, of decodes and of chunks.
  static constexpr std::size_t kMostPerLayer = 4;
  /// Steps of as many tokens, with the same kinds of sequences.
  struct Skeleton {
    lowering::MixedShape shape;  ///< of the last of them
    lowering::PassKernels kernels;
    PassTimes times;
    std::int64_t steps = 0;
    /// Each kernel that depends on the sequences, in one layer of the class, over all these steps.
    std::array<std::array<Time, kMostPerLayer>, lowering::kLayerClassCount> sequences{};
  };
  /// Steps that sample as many sequences.
  struct Head {
    lowering::Segment kernels;
    PerVariant<Time> token_return{};
    std::array<std::int64_t, 2> steps{};  ///< by Phase
  };

  Skeleton& skeleton_of(const lowering::MixedShape& shape);
  Head& head_of(std::int64_t sampled);
  /// Makes room: what has been counted moves to the breakdowns.
  void forget();
  void add_to(Breakdown& breakdown, const Skeleton& skeleton, std::size_t stage) const;
  void add_to(Breakdown& breakdown, const Head& head) const;

  const RunContext& context_;
  std::map<std::int64_t, Skeleton> skeletons_;
  std::map<std::int64_t, Head> heads_;
  std::vector<Breakdown> forgotten_;  ///< by stage
};

}  // namespace tradewind::workload
