#pragma once

#include <array>
#include <vector>

#include "sim/workload/pass_times.h"
#include "sim/workload/schedule.h"

namespace tradewind::workload {

/// A prefill pass that some nano-batches have in common.
struct PrefillCost {
  lowering::PassShape shape;
  lowering::PassKernels kernels;
  PassTimes times;
  std::int64_t passes = 0;
};

/// The decode steps of all nano-batches of one size; only attention changes from step to step.
struct DecodeCost {
  int sequences = 0;
  std::int64_t nano_batches = 0;
  lowering::PassKernels kernels;  ///< at the last context
  PassTimes times;                ///< at the last context
  std::array<Time, lowering::kLayerClassCount>
      attention{};  ///< of one layer of the class over all steps of one nano-batch
};

/// What happens to the sequences of one replica. Sums over sequences are in seconds: sums of
/// picoseconds would overflow for absurd but legal batches.
struct Ends {
  double first_token_sum_s = 0;
  double last_token_sum_s = 0;
  Time prefill_done;
  Time makespan;

  void add_first_tokens(Time at, int sequences) {
    first_token_sum_s += at.seconds() * sequences;
    prefill_done = std::max(prefill_done, at);
  }
  void add_last_tokens(Time at, int sequences) {
    last_token_sum_s += at.seconds() * sequences;
    makespan = std::max(makespan, at);
  }
  /// What `sequences` that start when these have ended do.
  void append(const Ends& later, double sequences) {
    first_token_sum_s += later.first_token_sum_s + makespan.seconds() * sequences;
    last_token_sum_s += later.last_token_sum_s + makespan.seconds() * sequences;
    prefill_done = makespan + later.prefill_done;
    makespan += later.makespan;
  }
};

/// One replica's static batch, simulated under each rule.
struct StaticBatchRun {
  std::vector<NanoBatch> nano_batches;
  double sequences = 0;  ///< of one replica
  std::vector<PrefillCost> prefills;
  std::vector<DecodeCost> decodes;
  PerVariant<Ends> ends;
  std::uint64_t stage_passes = 0;  ///< passes times stages
  std::vector<Time> busy;          ///< by stage: how long it computes or reduces, simulated

  const Ends& of(Variant variant) const { return ends[static_cast<std::size_t>(variant)]; }
  /// A wave that starts when all before it have ended.
  void append(StaticBatchRun later);
};

/// Prefill of every nano-batch, then decode step after step with growing context, through the
/// recurrences of pipeline.h. Symmetric ranks are folded and repeated layers are powers of one
/// (lowering/chain.h); run_unfolded() finds the same ends with the engine, to the picosecond.
StaticBatchRun run_folded(const RunContext& context, const scenario::StaticBatch& batch);

}  // namespace tradewind::workload
