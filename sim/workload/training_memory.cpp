#include "sim/workload/training_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/lowering/schedule/in_flight.h"
#include "sim/lowering/weight_quantization.h"
#include "sim/scenario/activation_bytes.h"
#include "sim/scenario/training_feasibility.h"

namespace tradewind::workload {
namespace {

using scenario::MemoryReport;
using scenario::MemoryUse;
using scenario::Recompute;
using scenario::Scenario;

constexpr double kWeightBytes = 2, kOptimizerBytes = 12;

/// `parameters` are a device's, `layers` those of its layers, `layer` those of its largest.
void set_states(MemoryUse& use, const Scenario& scenario, double parameters, double layers,
                double layer) {
  const double shards = scenario.plan.shards();
  const int zero = scenario.plan.zero_stage;
  const auto shared = [&](int from) { return zero >= from ? shards : 1.0; };
  const double gathered = lowering::gathered_weight_bytes(scenario);
  use.weights_bytes = kWeightBytes * parameters / shared(3);
  if (zero == 2) use.weights_bytes += (gathered - kWeightBytes) * layers;
  if (zero >= 3 && shards > 1) use.weights_bytes += 2 * gathered * layer;
  if (lowering::keeps_quantized_weights(scenario)) {
    use.weights_bytes += bytes_per_element(scenario.precision.weights) * layers;
  }
  const scenario::TrainingBehaviour& behaviour = scenario.runtime->training;
  const bool shared_out = shards > 1 && (scenario::reduces_each_micro_batch(scenario) ||
                                         (zero == 2 && scenario::micro_batches(scenario) == 1));
  use.gradients_bytes = behaviour.gradient_bytes * (shared_out ? parameters / shards : parameters);
  // What a layer's reduction reads.
  if (zero >= 2 && shards > 1) use.gradients_bytes += behaviour.gradient_bytes * layer;
  if (behaviour.keeps_backward_gradients) use.gradients_bytes += kWeightBytes * parameters;
  use.optimizer_bytes = kOptimizerBytes * parameters / shared(1);
}

/// Bytes that one micro-batch keeps of each chunk.
std::vector<double> kept_bytes(const Scenario& scenario, const std::vector<Chunk>& chunks) {
  const double layer = scenario::kept_layer_bytes(scenario);
  const double input = scenario::kept_layer_bytes(recomputing(scenario, Recompute::full));
  std::vector<double> bytes;
  for (const Chunk& chunk : chunks) {
    const int whole = chunk.recomputed_layers;
    bytes.push_back(layer * (chunk.layers - whole) + input * whole +
                    (chunk.layout.first ? scenario::embedding_activation_bytes(scenario) : 0));
  }
  return bytes;
}

/// What is there only while one layer, or the head, is worked on.
double working_set(const Scenario& scenario, bool has_head) {
  const auto& training = std::get<scenario::Training>(scenario.workload);
  double bytes = 0;
  if (training.recompute != scenario::Recompute::none) {
    const bool unfused = scenario::is_attention_unfused(scenario);
    bytes = scenario::layer_activations(scenario, unfused).total() -
            scenario::kept_layer_bytes(scenario);
  }
  return std::max(bytes, has_head ? scenario::head_activation_bytes(scenario) : 0.0);
}

/// What the runtime keeps for all micro-batches of a step, beyond those in flight (`held`, by
/// chunk): what a chunk takes from the one before, and the logits, twice once they are joined.
double step_buffers(const Scenario& scenario, const std::vector<Chunk>& chunks,
                    const std::vector<int>& of_device, const lowering::ChunksHeld& held) {
  if (scenario.plan.pp == 1 || !scenario.runtime->training.buffers_whole_step) return 0;
  const double micro_batches = scenario::micro_batches(scenario);
  double bytes = 0;
  for (const int c : of_device) {
    const lowering::StageLayout& layout = chunks[static_cast<std::size_t>(c)].layout;
    const double idle = micro_batches - held.by_chunk[static_cast<std::size_t>(c)];
    if (!layout.first) bytes += idle * scenario::layer_input_bytes(scenario);
    if (layout.last) bytes += 2 * micro_batches * scenario::logits_bytes(scenario);
  }
  return bytes;
}

}  // namespace

MemoryReport training_memory(const Scenario& scenario, const std::vector<Chunk>& chunks,
                             const std::vector<lowering::StageProgram>& programs) {
  const std::vector<double> kept = kept_bytes(scenario, chunks);
  const auto held_chunks = chunks_of_devices(programs);
  MemoryReport report;
  for (std::size_t d = 0; d < programs.size(); ++d) {
    MemoryUse use;
    double parameters = 0, layers = 0, layer = 0;
    bool has_head = false;
    for (const int c : held_chunks[d]) {
      const Chunk& chunk = chunks[static_cast<std::size_t>(c)];
      parameters += chunk.parameters();
      layers += chunk.layer_parameters;
      has_head = has_head || chunk.layout.last;
      if (chunk.layers > 0) layer = std::max(layer, chunk.layer_parameters / chunk.layers);
    }
    set_states(use, scenario, parameters, layers, layer);
    const lowering::ChunksHeld held = lowering::most_in_flight(programs[d], kept);
    for (std::size_t c = 0; c < kept.size(); ++c) {
      use.activations_bytes += kept[c] * held.by_chunk[c];
    }
    use.activations_bytes +=
        working_set(scenario, has_head) + step_buffers(scenario, chunks, held_chunks[d], held);
    use.capacity_bytes = scenario.cluster->accelerator().hbm_capacity_bytes;
    use.reserved_bytes = (1 - scenario.runtime->gpu_memory_utilization) * use.capacity_bytes +
                         scenario.runtime->reserved_bytes;
    report.stages.push_back(use);
    if (use.used_bytes() > report.fullest_stage().used_bytes()) {
      report.fullest = static_cast<int>(d);
    }
  }
  return report;
}

std::string recompute_to_fit(const Scenario& scenario, std::vector<Chunk>& chunks,
                             const std::vector<lowering::StageProgram>& programs) {
  const auto& training = std::get<scenario::Training>(scenario.workload);
  const bool may = training.recompute == Recompute::selective &&
                   scenario.runtime->training.keeps_alternate_products;
  int most = 0;
  for (const Chunk& chunk : chunks) most = std::max(most, chunk.layers);
  for (int whole = 0; may && whole <= most; ++whole) {
    for (Chunk& chunk : chunks) chunk.recomputed_layers = std::min(whole, chunk.layers);
    if (!training_memory(scenario, chunks, programs).fullest_stage().fits()) continue;
    if (whole == 0) return {};
    return fmt::format("{} of {} layers of a stage's part are recomputed whole, to fit", whole,
                       most);
  }
  for (Chunk& chunk : chunks) chunk.recomputed_layers = 0;
  return {};
}

std::string training_memory_reason(const MemoryReport& memory) {
  const MemoryUse& use = memory.fullest_stage();
  if (use.fits()) return {};
  const std::array<std::pair<std::string_view, double>, 5> terms = {
      {{"weights", use.weights_bytes},
       {"gradients", use.gradients_bytes},
       {"optimizer states", use.optimizer_bytes},
       {"activations", use.activations_bytes},
       {"reserved", use.reserved_bytes}}};
  std::string text;
  const auto* largest = &terms[0];
  for (const auto& term : terms) {
    text += fmt::format("{}{} {:.1f} GB", text.empty() ? "" : ", ", term.first, term.second / 1e9);
    if (term.second > largest->second) largest = &term;
  }
  return fmt::format(
      "out of memory: stage {} of {} needs {:.1f} GB ({}) of {:.1f} GB; the largest "
      "part are its {}",
      memory.fullest, memory.stages.size(), use.used_bytes() / 1e9, text, use.capacity_bytes / 1e9,
      largest->first);
}

}  // namespace tradewind::workload
