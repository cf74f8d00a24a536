#pragma once

#include <string>
#include <vector>

#include "sim/scenario/memory.h"
#include "sim/workload/training_chunks.h"

namespace tradewind::workload {

/// Memory of each pipeline stage at its fullest moment. With D ranks that hold the same weights and
/// P parameters of a device (ZeRO, arXiv 1910.02054, section 5; Megatron-LM's dist_optimizer.md):
///   weights    2 P, ZeRO-3: 2 P / D and two layers gathered; what is gathered in 8 bits counts so
///   gradients  g P, from ZeRO-2 on g P / D      (g: runtime.training.gradient_bytes) and a layer
///              that is being reduced; ZeRO-2's whole where the runtime accumulates them so; 2 P
///              more where those of the backward pass are kept beside them
///   optimizer  12 P (fp32 weights and two moments), from ZeRO-1 on 12 P / D
///   activations  what the schedule has in flight (lowering/schedule/in_flight.h) of each chunk's
///                layers, and the head's or one recomputed layer's working set
scenario::MemoryReport training_memory(const scenario::Scenario& scenario,
                                       const std::vector<Chunk>& chunks,
                                       const std::vector<lowering::StageProgram>& programs);

/// Where the runtime's selective recomputation keeps too much, the fewest layers of each chunk that
/// are recomputed whole so that the step fits; none if no number does. Says so in a note, or
/// nothing.
std::string recompute_to_fit(const scenario::Scenario& scenario, std::vector<Chunk>& chunks,
                             const std::vector<lowering::StageProgram>& programs);

/// Why it does not fit, with the term that breaks it, or empty.
std::string training_memory_reason(const scenario::MemoryReport& memory);

}  // namespace tradewind::workload
