#pragma once

#include <vector>

#include "sim/lowering/schedule/step_graph.h"
#include "sim/lowering/training_kernels.h"
#include "sim/workload/pass_times.h"
#include "sim/workload/training_chunks.h"

namespace tradewind::workload {

/// Which communication takes its time; without some, what they expose shows.
struct Communication {
  bool tensor = true;   ///< tensor parallelism's collectives inside layers
  bool context = true;  ///< ring attention's and Ulysses' exchanges
  bool pipeline = true;
  bool data = true;  ///< gradients and parameters
};

/// A training step, priced; what its graph needs under each rule.
class TrainingTimes {
 public:
  TrainingTimes(const RunContext& context, const std::vector<Chunk>& chunks,
                const lowering::Schedule& schedule);

  /// `programs`: for what belongs to devices.
  lowering::StepWork work(const std::vector<lowering::StageProgram>& programs,
                          const Communication& communication) const;
  /// Of one middle chunk: what searched schedules look at.
  lowering::ChunkTimes ratios() const;

  /// What the device waits for before a chunk's forward pass.
  Time host_of_forward() const;

  const lowering::TrainingKernels& kernels() const { return kernels_; }
  /// The same, of layers that are recomputed whole (Chunk::recomputed_layers).
  const lowering::TrainingKernels& recomputing_kernels() const { return recomputing_; }

 private:
  lowering::Pieces pieces(const Chunk& chunk, lowering::StageOpKind kind,
                          const Communication& communication) const;
  void add_data_parallel(lowering::Piece& piece, double parameters, bool data) const;
  Time gather(double parameters) const;
  Time reduce(double parameters) const;
  Time optimizer(double parameters, double of_layers) const;
  /// How long a segment takes on a device, launched kernel by kernel.
  Time duration(const lowering::Segment& segment, const Communication& communication) const;
  /// Of computation, for the slowest of the replicas.
  double stretch() const;
  lowering::Handover handover(const Communication& communication) const;

  const RunContext& context_;
  const std::vector<Chunk>& chunks_;
  const lowering::Schedule& schedule_;
  lowering::TrainingKernels kernels_, recomputing_;
};

}  // namespace tradewind::workload
