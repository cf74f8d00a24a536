#pragma once

#include <array>
#include <vector>

#include "sim/kernels/book.h"
#include "sim/lowering/kernel.h"
#include "sim/scenario/scenario.h"

namespace tradewind::lowering {

enum class Phase { prefill, decode };
constexpr std::string_view to_string(Phase phase) {
  return phase == Phase::prefill ? "prefill" : "decode";
}

/// What one forward pass carries: `sequences`, each with `new_tokens`, ending at `context` tokens
/// (the new ones included). Decode has one new token.
struct PassShape {
  Phase phase = Phase::prefill;
  int sequences = 1;
  int new_tokens = 1;
  int context = 1;
  bool yields_tokens =
      true;  ///< false for the earlier chunks of a long prefill: no head, no sampling

  double tokens() const { return static_cast<double>(sequences) * new_tokens; }
  bool operator==(const PassShape&) const = default;
};

/// Layers of one class cost the same: the kind of layer, with or without a sliding window.
using LayerClass = std::size_t;
inline constexpr std::size_t kLayerClassCount = 2 * model::kLayerKinds.size();
constexpr model::LayerKind kind_of(LayerClass layer_class) {
  return model::kLayerKinds[layer_class / 2];
}
constexpr bool is_windowed(LayerClass layer_class) {
  return layer_class % 2 == 1;
}
LayerClass class_of_layer(const model::ModelConfig& model, int layer);

/// The kernels of one pass on one device, by the part of the model they belong to. Every device of
/// a stage does the same.
struct PassKernels {
  Segment embedding;  ///< first stage
  Segment take_over;  ///< other stages: gathers what the ranks before sent
  std::array<Segment, kLayerClassCount> layer;  ///< by LayerClass; empty where no layer has it
  Segment head;                                 ///< last stage: final norm, head, sampling
};

/// Which parts one pipeline stage runs, in order.
struct StageLayout {
  struct Run {
    LayerClass layer_class;
    int layers;
  };
  bool first = false, last = false;
  std::vector<Run> runs;
};

/// The stages of the scenario's plan (scenario::stage_layers).
std::vector<StageLayout> stage_layouts(const scenario::Scenario& scenario);

/// Prices the kernels of `shape`: Megatron sharding (column-parallel QKV and gate/up, row-parallel
/// output and down projections, two all-reduces a block; with sequence parallelism an all-gather
/// and a reduce-scatter around each half), KV heads replicated when tp exceeds them,
/// vocabulary-parallel embedding and head; Mamba layers as in mamba_kernels.h; or Ulysses' sequence
/// shards. Pairs of computation and communication are taken apart as plan.overlap says. The plan
/// must divide the model.
PassKernels lower_pass(const scenario::Scenario& scenario, const kernels::Book& book,
                       const PassShape& shape);

/// One block alone (workload kind `block`), as layer [0], without embedding and head. A Mamba block
/// has a forward pass only.
PassKernels lower_block(const scenario::Scenario& scenario, const kernels::Book& book,
                        const scenario::Block& block);

/// Replaces the attention kernels of a decode pass by those at another context: all that changes
/// from one decode step to the next.
void set_decode_context(PassKernels& kernels, const scenario::Scenario& scenario,
                        const kernels::Book& book, PassShape shape);

/// Ranks of a stage that share one NIC when the next stage is on another node (they send at the
/// same moment); 1 inside a node.
int senders_per_nic(const scenario::Scenario& scenario, int from_stage);

/// Moving one pass's activations from a stage to the next (each tensor-parallel rank sends its
/// slice), and the sampled tokens from the last stage back to the first.
Kernel stage_transfer(const scenario::Scenario& scenario, const kernels::Book& book,
                      const PassShape& shape, int from_stage);
Kernel token_return(const scenario::Scenario& scenario, const kernels::Book& book,
                    const PassShape& shape);

/// The pricing rules that a scenario asks for.
kernels::Book book_for(const scenario::Scenario& scenario);

}  // namespace tradewind::lowering
