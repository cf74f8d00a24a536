#pragma once

#include <vector>

#include "sim/workload/training_chunks.h"

namespace tradewind::workload {

/// Model FLOPs of the step, three times those of a forward pass; with attention's half that a
/// causal mask leaves, or all of it.
double model_flops(const scenario::Scenario& scenario, bool causal);

/// What is computed a second time: the forward pass of layers that are recomputed whole; else with
/// selective recomputation the attention core (arXiv 2205.05198), or what a runtime that keeps
/// every second product does not keep: keys, the output and the up projection.
double recomputed_flops(const scenario::Scenario& scenario, const std::vector<Chunk>& chunks);

}  // namespace tradewind::workload
