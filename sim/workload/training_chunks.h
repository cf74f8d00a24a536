#pragma once

#include <vector>

#include "sim/lowering/pass.h"
#include "sim/lowering/schedule/schedule.h"
#include "sim/scenario/scenario.h"

namespace tradewind::workload {

/// A chunk of the model as a pipeline passes micro-batches through it.
struct Chunk {
  lowering::StageLayout layout;  ///< first: with the embedding; last: with head and loss
  double layer_parameters = 0;   ///< of one device: all its layers together
  double extra_parameters = 0;   ///< embedding, or head with final norm; a tied head's copy
  int layers = 0;
  int recomputed_layers = 0;  ///< whole, beyond what the workload recomputes (training_memory.h)

  double parameters() const { return layer_parameters + extra_parameters; }
};

/// The scenario with another recomputation. REQUIRES: a training workload.
scenario::Scenario recomputing(scenario::Scenario scenario, scenario::Recompute recompute);

/// The model cut into the schedule's chunks (scenario::stage_layers).
std::vector<Chunk> training_chunks(const scenario::Scenario& scenario, int chunks);

lowering::ScheduleShape schedule_shape(const scenario::Scenario& scenario);

/// The chunks that each device has (bidirectional schedules: of both directions), in order.
std::vector<std::vector<int>> chunks_of_devices(
    const std::vector<lowering::StageProgram>& programs);

}  // namespace tradewind::workload
