#include "sim/lowering/pass.h"

#include <algorithm>

#include "sim/lowering/backward_kernels.h"
#include "sim/lowering/block_kernels.h"
#include "sim/lowering/mamba_kernels.h"
#include "sim/scenario/block_layer.h"

namespace tradewind::lowering {

LayerClass class_of_layer(const model::ModelConfig& model, int layer) {
  const model::LayerKind kind = model::layer_kind(model, layer);
  const bool windowed = model::has_attention(kind) && model::window_of_layer(model, layer) > 0;
  return 2 * static_cast<LayerClass>(kind) + (windowed ? 1 : 0);
}

namespace {

Segment layer_kernels(const BlockKernels& block, const MambaKernels& mamba, LayerClass c) {
  switch (kind_of(c)) {
    case model::LayerKind::transformer:
      return block.transformer(is_windowed(c));
    case model::LayerKind::mamba:
      return mamba.layer();
    case model::LayerKind::attention:
      return block.attention(is_windowed(c));
    case model::LayerKind::mlp:
      return block.mlp();
  }
  return {};
}

}  // namespace

std::vector<StageLayout> stage_layouts(const scenario::Scenario& scenario) {
  const model::ModelConfig& model = *scenario.model;
  const std::vector<int> counts =
      scenario::stage_layers(static_cast<int>(model.num_hidden_layers), scenario.plan.pp);
  std::vector<StageLayout> stages(counts.size());
  stages.front().first = stages.back().last = true;
  int layer = 0;
  for (std::size_t stage = 0; stage < counts.size(); ++stage) {
    for (int end = layer + counts[stage]; layer < end; ++layer) {
      const LayerClass layer_class = class_of_layer(model, layer);
      std::vector<StageLayout::Run>& runs = stages[stage].runs;
      if (runs.empty() || runs.back().layer_class != layer_class) runs.push_back({layer_class, 0});
      ++runs.back().layers;
    }
  }
  return stages;
}

PassKernels lower_pass(const scenario::Scenario& scenario, const kernels::Book& book,
                       const PassShape& shape) {
  const BlockKernels block(scenario, book, shape);
  const MambaKernels mamba(scenario, book, shape);
  std::array<bool, kLayerClassCount> present{};
  for (int layer = 0; layer < scenario.model->num_hidden_layers; ++layer) {
    present[class_of_layer(*scenario.model, layer)] = true;
  }
  PassKernels pass;
  pass.embedding = block.embedding();
  if (scenario.plan.pp > 1) pass.take_over = block.take_over();
  for (LayerClass c = 0; c < kLayerClassCount; ++c) {
    if (present[c]) pass.layer[c] = layer_kernels(block, mamba, c);
  }
  if (shape.yields_tokens) pass.head = block.head();
  return pass;
}

PassKernels lower_block(const scenario::Scenario& scenario, const kernels::Book& book,
                        const scenario::Block& block) {
  const PassShape shape{Phase::prefill, block.batch, block.sequence_length, block.sequence_length,
                        false};
  const BlockKernels kernels(scenario, book, shape);
  const std::int64_t layer = scenario::layer_of_block(*scenario.model, block.part).value_or(0);
  const bool windowed = model::window_of_layer(*scenario.model, layer) > 0;
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
    case scenario::BlockPart::mamba:
      pass.layer[0] = MambaKernels(scenario, book, shape).layer();
      break;
  }
  if (block.pass == scenario::BlockPass::forward) return pass;
  const BackwardKernels backward(scenario, book, shape);
  const auto append = [&](const Segment& segment) {
    pass.layer[0].insert(pass.layer[0].end(), segment.begin(), segment.end());
  };
  if (block.part != scenario::BlockPart::attention) append(backward.mlp());
  if (block.part != scenario::BlockPart::mlp) {
    append(backward.attention(kernels.attention_core(windowed)));
  }
  return pass;
}

void set_decode_context(PassKernels& kernels, const scenario::Scenario& scenario,
                        const kernels::Book& book, PassShape shape) {
  const BlockKernels block(scenario, book, shape);
  for (LayerClass c = 0; c < kLayerClassCount; ++c) {
    for (Step& step : kernels.layer[c]) {
      Kernel* kernel = std::get_if<Kernel>(&step);
      if (kernel && kernel->kind == KernelKind::attention) {
        *kernel = block.attention_core(is_windowed(c));
      }
    }
  }
}

namespace {

bool leaves_node(const scenario::Scenario& scenario, int from_stage) {
  const int per_node = scenario.cluster->node.devices;
  const int group = scenario.plan.group();
  const int sender = (from_stage + 1) * group - 1;
  return sender / per_node != (sender + group) / per_node;
}

}  // namespace

int senders_per_nic(const scenario::Scenario& scenario, int from_stage) {
  if (!leaves_node(scenario, from_stage)) return 1;
  const int devices = scenario.cluster->node.devices;
  const int nics = scenario.cluster->network->nics_per_node;
  return std::min(scenario.plan.group(), std::max(1, (devices + nics - 1) / nics));
}

Kernel stage_transfer(const scenario::Scenario& scenario, const kernels::Book& book,
                      const PassShape& shape, int from_stage) {
  // Each rank sends its slice; the receiving group gathers
  // (PassKernels::take_over). Ranks behind one NIC send together: each waits for all of their
  // bytes.
  const double bytes = shape.tokens() * static_cast<double>(scenario.model->hidden_size) *
                       bytes_per_element(scenario.precision.communication) / scenario.plan.group();
  const bool same_node = !leaves_node(scenario, from_stage);
  return {KernelKind::p2p,
          book.point_to_point(bytes * senders_per_nic(scenario, from_stage), same_node)};
}

Kernel token_return(const scenario::Scenario& scenario, const kernels::Book& book,
                    const PassShape& shape) {
  constexpr double kTokenIdBytes = 4;
  const bool same_node = scenario.plan.group() * scenario.plan.pp <= scenario.cluster->node.devices;
  return {KernelKind::p2p, book.point_to_point(kTokenIdBytes * shape.sequences, same_node)};
}

namespace {

kernels::DecodeKernel decode_kernel(scenario::DecodeAttention attention) {
  switch (attention) {
    case scenario::DecodeAttention::unsplit:
      return kernels::DecodeKernel::unsplit;
    case scenario::DecodeAttention::paged:
      return kernels::DecodeKernel::paged;
    case scenario::DecodeAttention::flash_decoding:
      break;
  }
  return kernels::DecodeKernel::flash_decoding;
}

/// vLLM captures its graphs for the model's longest context, up to 8192 tokens
/// (max_seq_len_to_capture).
float captured_context(const model::ModelConfig& model) {
  constexpr std::int64_t kCaptured = 8192;
  return static_cast<float>(std::min(model.max_position_embeddings, kCaptured));
}

bool shares_kv_heads(const scenario::Scenario& scenario) {
  const scenario::Runtime& runtime = *scenario.runtime;
  const bool windowed = scenario.model->sliding_window > 0;
  return runtime.shares_kv_heads && (!windowed || runtime.shares_windowed_kv_heads);
}

}  // namespace

kernels::Book book_for(const scenario::Scenario& scenario) {
  const scenario::Runtime& runtime = *scenario.runtime;
  const scenario::Libraries& names = runtime.libraries_for(scenario.cluster->accelerator().vendor);
  std::optional<kernels::Roofline> roofline;
  if (runtime.costs == scenario::CostSource::roofline) {
    const scenario::RooflineRates& rates = runtime.rates;
    roofline = kernels::Roofline{rates.matrix_share,
                                 rates.hbm_share,
                                 rates.link_share,
                                 rates.p2p_share.value_or(rates.link_share),
                                 rates.kernel_latency_s,
                                 rates.collective_latency_s,
                                 !runtime.weights_all_at_gemm_dtype};
  }
  const scenario::KernelRates& rates = runtime.kernel_rates;
  return kernels::Book(
      *scenario.cluster,
      {names.gemm, names.attention, names.elementwise, names.all_reduce, names.collective},
      scenario.precision, roofline,
      {rates.gemm_arithmetic, rates.gemm_arithmetic_8bit, rates.gemm_memory,
       runtime.matrix_vector_tokens, rates.attention_prefill, rates.attention_decode,
       rates.elementwise, rates.all_reduce, runtime.all_reduce_wait_s,
       runtime.quantization != scenario::Quantization::producer, shares_kv_heads(scenario),
       decode_kernel(runtime.decode_attention), captured_context(*scenario.model)});
}

}  // namespace tradewind::lowering
