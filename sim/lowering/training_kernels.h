#pragma once

#include <array>

#include "sim/lowering/pass.h"

namespace tradewind::lowering {

/// Kernels of one part of the model in one micro-batch. `backward` has both gradients, with what is
/// computed again before them; `backward_input` and `backward_weight` are the same for schedules
/// that put weight gradients off, and so without communication beside weight gradients.
struct TrainingPart {
  Segment forward, backward, backward_input, backward_weight;
};

/// The kernels of one device for one micro-batch. Every device of a stage does the same.
struct TrainingKernels {
  TrainingPart embedding;                            ///< of the first chunk
  std::array<TrainingPart, kLayerClassCount> layer;  ///< by LayerClass
  TrainingPart head;  ///< of the last chunk: final norm, head, loss over the vocabulary
  Segment take_over;  ///< of other chunks: gathers what the ranks before sent, both ways
};

/// REQUIRES: a training workload whose plan divides the model.
TrainingKernels lower_training(const scenario::Scenario& scenario, const kernels::Book& book);

/// The scenario as its kernels see it: attention in 16 bits whatever the products multiply in
/// (interface.md, precision).
scenario::Scenario training_view(scenario::Scenario scenario);

/// Attention's forward pass on one device, with the exchanges of Ulysses and ring attention.
Segment attention_core(const scenario::Scenario& scenario, const kernels::Book& book,
                       bool windowed);
Segment attention_core_backward(const scenario::Scenario& scenario, const kernels::Book& book,
                                bool windowed);

}  // namespace tradewind::lowering
