#pragma once

#include <string>

#include "sim/scenario/scenario.h"

namespace tradewind::scenario {

/// Why a training plan can't be laid on this model and batch, or empty. What only the schedule can
/// say (lowering/schedule) and memory come later.
std::string training_reason(const Scenario& scenario);

/// Micro-batches that each replica accumulates in a step. REQUIRES: no training_reason.
int micro_batches(const Scenario& scenario);

/// Gradients are reduced after every micro-batch, each rank keeping its shard (ZeRO-3, and ZeRO-2
/// unless the runtime accumulates them whole), not once a step.
bool reduces_each_micro_batch(const Scenario& scenario);

}  // namespace tradewind::scenario
