#include "sim/workload/training_chunks.h"

#include <algorithm>

#include "sim/model/count.h"
#include "sim/scenario/training_feasibility.h"

namespace tradewind::workload {
namespace {

/// Parameters of one layer on one device: matrices are shared out, norms are not.
double layer_parameters(const scenario::Scenario& scenario, std::int64_t layer) {
  const model::ModelConfig& model = *scenario.model;
  const model::LayerKind kind = model::layer_kind(model, layer);
  double parameters = static_cast<double>(model::vector_parameters(model, kind, scenario.plan.tp));
  for (const model::WeightMatrix& matrix : model::layer_matrices(model, kind, scenario.plan.tp)) {
    parameters += static_cast<double>(matrix.parameters());
  }
  return parameters;
}

}  // namespace

scenario::Scenario recomputing(scenario::Scenario scenario, scenario::Recompute recompute) {
  std::get<scenario::Training>(scenario.workload).recompute = recompute;
  return scenario;
}

std::vector<Chunk> training_chunks(const scenario::Scenario& scenario, int chunks) {
  const model::ModelConfig& model = *scenario.model;
  const std::vector<int> counts =
      scenario::stage_layers(static_cast<int>(model.num_hidden_layers), chunks);
  const model::ParameterCount parameters = model::parameters(model);
  const double tp = scenario.plan.tp;
  const double embedding = static_cast<double>(parameters.embedding) / tp;
  std::vector<Chunk> all(counts.size());
  int layer = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    Chunk& chunk = all[c];
    chunk.layers = counts[c];
    chunk.layout.first = c == 0;
    chunk.layout.last = c + 1 == counts.size();
    for (int i = 0; i < counts[c]; ++i, ++layer) {
      const lowering::LayerClass kind = lowering::class_of_layer(model, layer);
      auto& runs = chunk.layout.runs;
      if (runs.empty() || runs.back().layer_class != kind) runs.push_back({kind, 0});
      ++runs.back().layers;
      chunk.layer_parameters += layer_parameters(scenario, layer);
    }
    if (chunk.layout.first) chunk.extra_parameters += embedding;
    if (chunk.layout.last) {
      const double head = static_cast<double>(parameters.head) / tp;
      chunk.extra_parameters += static_cast<double>(parameters.final_norm);
      // A tied head on a stage of its own is a copy of the embedding.
      const bool apart = scenario.plan.pp > 1;
      chunk.extra_parameters += head > 0 || !apart ? head : embedding;
    }
  }
  return all;
}

lowering::ScheduleShape schedule_shape(const scenario::Scenario& scenario) {
  return {scenario.plan.pp, scenario::micro_batches(scenario), scenario.plan.virtual_stages, {}};
}

std::vector<std::vector<int>> chunks_of_devices(
    const std::vector<lowering::StageProgram>& programs) {
  std::vector<std::vector<int>> chunks(programs.size());
  for (std::size_t d = 0; d < programs.size(); ++d) {
    for (const lowering::StageOp& op : programs[d]) {
      auto& held = chunks[d];
      if (std::find(held.begin(), held.end(), op.chunk) == held.end()) held.push_back(op.chunk);
    }
    std::sort(chunks[d].begin(), chunks[d].end());
  }
  return chunks;
}

}  // namespace tradewind::workload
