#pragma once

#include <array>
#include <vector>

#include "sim/core/time.h"
#include "sim/lowering/chain.h"
#include "sim/lowering/pass.h"
#include "sim/workload/stage_time.h"

namespace tradewind::workload {

/// How long one pass takes on each stage and between stages.
struct PassTimes {
  struct OfVariant {
    Time host;                   ///< before stage 0
    std::vector<Time> stage;     ///< by stage
    std::vector<Time> transfer;  ///< to the next stage, one entry fewer than stages
    Time token_return;           ///< from the last stage back to the first

    /// The pass alone through all stages.
    Time alone() const;
  };
  std::array<OfVariant, kVariantCount> variants;

  const OfVariant& of(Variant variant) const { return variants[static_cast<std::size_t>(variant)]; }
};

/// What stays the same over all passes of one run.
struct RunContext {
  explicit RunContext(const scenario::Scenario& the_scenario);

  const scenario::Scenario& scenario;
  kernels::Book book;
  std::vector<lowering::StageLayout> stages;
  std::array<lowering::LaunchCost, 2> launch;  ///< by Phase
  mutable RegionTimes regions;                 ///< remembers what it has simulated

  const lowering::LaunchCost& launch_of(lowering::Phase phase) const {
    return launch[static_cast<std::size_t>(phase)];
  }
  /// Of a step with these sequences, which have `context_tokens` together.
  Time step_host(double sequences, double context_tokens) const;
  Time step_host(const lowering::PassShape& shape) const {
    return step_host(shape.sequences, 1.0 * shape.sequences * shape.context);
  }
};

/// Times of `shape`, whose kernels are priced already.
PassTimes time_pass(const RunContext& context, const lowering::PassShape& shape,
                    const lowering::PassKernels& kernels);

/// Retimes the stages only (the decode pass at its next context): hosts and transfers stay.
void retime_stages(PassTimes& times, const RunContext& context, lowering::Phase phase,
                   const lowering::PassKernels& kernels);

}  // namespace tradewind::workload
