#include "sim/scenario/block_layer.h"

namespace tradewind::scenario {
namespace {

bool has_part(model::LayerKind kind, BlockPart part) {
  switch (part) {
    case BlockPart::mlp:
      return model::has_mlp(kind);
    case BlockPart::attention:
      return model::has_attention(kind);
    case BlockPart::transformer:
      return kind == model::LayerKind::transformer;
    case BlockPart::mamba:
      return kind == model::LayerKind::mamba;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> layer_of_block(const model::ModelConfig& model, BlockPart part) {
  for (std::int64_t layer = 0; layer < model.num_hidden_layers; ++layer) {
    if (has_part(model::layer_kind(model, layer), part)) return layer;
  }
  return std::nullopt;
}

}  // namespace tradewind::scenario
