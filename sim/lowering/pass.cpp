#include "sim/lowering/pass.h"

#include <algorithm>

#include "sim/lowering/block_kernels.h"

namespace tradewind::lowering {

std::vector<StageLayout> stage_layouts(const scenario::Scenario& scenario) {
  const model::ModelConfig& model = *scenario.model;
  const std::vector<int> counts =
      scenario::stage_layers(static_cast<int>(model.num_hidden_layers), scenario.plan.pp);
  std::vector<StageLayout> stages(counts.size());
  stages.front().first = stages.back().last = true;
  int layer = 0;
  for (std::size_t stage = 0; stage < counts.size(); ++stage) {
    for (int end = layer + counts[stage]; layer < end; ++layer) {
      const bool windowed = model::window_of_layer(model, layer) > 0;
      std::vector<StageLayout::Run>& runs = stages[stage].runs;
      if (runs.empty() || runs.back().windowed != windowed) runs.push_back({windowed, 0});
      ++runs.back().layers;
    }
  }
  return stages;
}

PassKernels lower_pass(const scenario::Scenario& scenario, const kernels::Book& book,
                       const PassShape& shape) {
  const BlockKernels block(scenario, book, shape);
  const std::int64_t windowed = model::windowed_layers(*scenario.model);
  PassKernels pass;
  pass.embedding = block.embedding();
  if (scenario.plan.pp > 1) pass.take_over = block.take_over();
  if (windowed < scenario.model->num_hidden_layers) pass.layer[0] = block.transformer(false);
  if (windowed > 0) pass.layer[1] = block.transformer(true);
  if (shape.yields_tokens) pass.head = block.head();
  return pass;
}

PassKernels lower_block(const scenario::Scenario& scenario, const kernels::Book& book,
                        const scenario::Block& block) {
  const PassShape shape{Phase::prefill, block.batch, block.sequence_length, block.sequence_length,
                        false};
  const BlockKernels kernels(scenario, book, shape);
  const bool windowed = model::window_of_layer(*scenario.model, 0) > 0;
  PassKernels pass;
  switch (block.part) {
    case scenario::BlockPart::mlp:
      pass.layer[0] = kernels.mlp();
      break;
    case scenario::BlockPart::attention:
      pass.layer[0] = kernels.attention(windowed);
      break;
    case scenario::BlockPart::transformer:
      pass.layer[0] = kernels.transformer(windowed);
      break;
  }
  return pass;
}

void set_decode_context(PassKernels& kernels, const scenario::Scenario& scenario,
                        const kernels::Book& book, PassShape shape) {
  const BlockKernels block(scenario, book, shape);
  for (const bool windowed : {false, true}) {
    for (Kernel& kernel : kernels.layer[windowed ? 1 : 0]) {
      if (kernel.kind == KernelKind::attention) kernel = block.attention_core(windowed);
    }
  }
}

namespace {

bool leaves_node(const scenario::Scenario& scenario, int from_stage) {
  const int per_node = scenario.cluster->node.devices;
  const int sender = (from_stage + 1) * scenario.plan.tp - 1;
  return sender / per_node != (sender + scenario.plan.tp) / per_node;
}

}  // namespace

int senders_per_nic(const scenario::Scenario& scenario, int from_stage) {
  if (!leaves_node(scenario, from_stage)) return 1;
  const int devices = scenario.cluster->node.devices;
  const int nics = scenario.cluster->network->nics_per_node;
  return std::min(scenario.plan.tp, std::max(1, (devices + nics - 1) / nics));
}

Kernel stage_transfer(const scenario::Scenario& scenario, const kernels::Book& book,
                      const PassShape& shape, int from_stage) {
  // Each tensor-parallel rank sends its slice; the receiving group gathers
  // (PassKernels::take_over). Ranks behind one NIC send together: each waits for all of their
  // bytes.
  const double bytes = shape.tokens() * static_cast<double>(scenario.model->hidden_size) *
                       bytes_per_element(scenario.precision.communication) / scenario.plan.tp;
  const bool same_node = !leaves_node(scenario, from_stage);
  return {KernelKind::p2p,
          book.point_to_point(bytes * senders_per_nic(scenario, from_stage), same_node)};
}

Kernel token_return(const scenario::Scenario& scenario, const kernels::Book& book,
                    const PassShape& shape) {
  constexpr double kTokenIdBytes = 4;
  const bool same_node = scenario.plan.tp * scenario.plan.pp <= scenario.cluster->node.devices;
  return {KernelKind::p2p, book.point_to_point(kTokenIdBytes * shape.sequences, same_node)};
}

kernels::Book book_for(const scenario::Scenario& scenario) {
  const scenario::Runtime& runtime = *scenario.runtime;
  const scenario::Libraries& names = runtime.libraries_for(scenario.cluster->accelerator().vendor);
  std::optional<kernels::Roofline> roofline;
  if (runtime.costs == scenario::CostSource::roofline) {
    const scenario::RooflineRates& rates = runtime.rates;
    roofline = kernels::Roofline{rates.matrix_share,         rates.hbm_share,
                                 rates.link_share,           rates.kernel_latency_s,
                                 rates.collective_latency_s, !runtime.weights_all_at_gemm_dtype};
  }
  return kernels::Book(
      *scenario.cluster,
      {names.gemm, names.attention, names.elementwise, names.all_reduce, names.collective},
      scenario.precision, roofline);
}

}  // namespace tradewind::lowering
