#include "sim/model/read_mamba.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/core/error.h"

namespace tradewind::model {
namespace {

// Several times beyond any published model; with kMostHidden and kMostLayers of read.cpp the
// largest parameter count stays below 2^62: hidden x (2 x 2^26 + 2 x 2^26 + heads) x layers.
constexpr std::int64_t kMostHeads = 1 << 13;
constexpr std::int64_t kMostHeadDim = 1 << 13;
constexpr std::int64_t kMostStates = 1 << 13;
constexpr std::int64_t kMostTaps = 1 << 8;
constexpr std::int64_t kMostChunk = 1 << 16;
constexpr std::int64_t kMostExpansion = 1 << 6;
/// Of Hugging Face's Mamba2Config and of the kernels of mamba_ssm.
constexpr std::int64_t kUsualChunk = 256;

constexpr std::string_view kPattern = "hybrid_override_pattern";

/// How a family spells what others spell differently.
struct Spelling {
  std::string_view num_heads, head_dim, state_size;
};
constexpr Spelling spelling_of(const Family& family) {
  if (family.layers == Layers::mamba) return {"num_heads", "head_dim", "state_size"};
  return {"mamba_num_heads", "mamba_head_dim", "ssm_state_size"};
}

[[noreturn]] void refuse(const json::ObjectReader& reader, std::string_view key,
                         std::string_view message) {
  const json::Node& object = reader.node();
  throw InputError(object.file(), object.pointer() + json::pointer_step(key), std::string(message));
}

void read_dimensions(json::ObjectReader& reader, const Spelling& spelling, MambaDimensions& mamba) {
  const auto size = [&](std::string_view key, std::int64_t most) {
    return reader.required(key).integer(1, most);
  };
  mamba.num_heads = size(spelling.num_heads, kMostHeads);
  mamba.head_dim = size(spelling.head_dim, kMostHeadDim);
  mamba.state_size = size(spelling.state_size, kMostStates);
  mamba.n_groups = size("n_groups", kMostHeads);
  mamba.conv_kernel = size("conv_kernel", kMostTaps);
  mamba.chunk_size = reader.integer("chunk_size", kUsualChunk, 1, kMostChunk);
  mamba.conv_bias = reader.boolean("use_conv_bias", true);
  mamba.projection_bias = reader.boolean("use_bias", false);
  if (mamba.num_heads % mamba.n_groups != 0) {
    refuse(reader, "n_groups",
           fmt::format("found {}, expected a divisor of {} ({})", mamba.n_groups,
                       spelling.num_heads, mamba.num_heads));
  }
}

/// Mamba2Config wants the heads to fill the expanded hidden size.
void check_expansion(json::ObjectReader& reader, const ModelConfig& config) {
  const std::int64_t expand = reader.integer("expand", 2, 1, kMostExpansion);
  if (expand * config.hidden_size == config.mamba.inner_size()) return;
  refuse(reader, "num_heads",
         fmt::format("found {} heads of {}, expected {} channels in all: expand x hidden_size",
                     config.mamba.num_heads, config.mamba.head_dim, expand * config.hidden_size));
}

struct Letter {
  char letter;
  LayerKind kind;
};
constexpr Letter kLetters[] = {
    {'M', LayerKind::mamba}, {'*', LayerKind::attention}, {'-', LayerKind::mlp}};

void read_pattern(json::ObjectReader& reader, ModelConfig& config) {
  const std::string pattern = reader.required(kPattern).string();
  if (static_cast<std::int64_t>(pattern.size()) != config.num_hidden_layers) {
    refuse(reader, kPattern,
           fmt::format("found {} letters, expected one for each of the {} layers", pattern.size(),
                       config.num_hidden_layers));
  }
  for (const char letter : pattern) {
    const auto* found = std::find_if(std::begin(kLetters), std::end(kLetters),
                                     [&](const Letter& row) { return row.letter == letter; });
    if (found == std::end(kLetters)) {
      refuse(reader, kPattern,
             fmt::format("found the letter '{}', expected M (Mamba-2), * (attention) or - (MLP)",
                         letter));
    }
    config.layer_kinds.push_back(found->kind);
  }
}

}  // namespace

void read_mamba(json::ObjectReader& reader, const Family& family, ModelConfig& config) {
  if (family.layers == Layers::transformer) return;
  read_dimensions(reader, spelling_of(family), config.mamba);
  if (family.layers == Layers::hybrid) return read_pattern(reader, config);
  check_expansion(reader, config);
  config.layer_kinds.assign(static_cast<std::size_t>(config.num_hidden_layers), LayerKind::mamba);
}

void write_mamba(const ModelConfig& config, const Family& family, nlohmann::json& object) {
  if (family.layers == Layers::transformer) return;
  const MambaDimensions& mamba = config.mamba;
  const Spelling spelling = spelling_of(family);
  object[std::string(spelling.num_heads)] = mamba.num_heads;
  object[std::string(spelling.head_dim)] = mamba.head_dim;
  object[std::string(spelling.state_size)] = mamba.state_size;
  object["n_groups"] = mamba.n_groups;
  object["conv_kernel"] = mamba.conv_kernel;
  object["chunk_size"] = mamba.chunk_size;
  object["use_conv_bias"] = mamba.conv_bias;
  object["use_bias"] = mamba.projection_bias;
  if (family.layers == Layers::mamba) {
    object["expand"] = mamba.inner_size() / config.hidden_size;
    return;
  }
  std::string pattern;
  for (const LayerKind kind : config.layer_kinds) {
    for (const Letter& row : kLetters) {
      if (row.kind == kind) pattern += row.letter;
    }
  }
  object[std::string(kPattern)] = pattern;
}

std::vector<std::string> mamba_fields(const Family& family) {
  if (family.layers == Layers::transformer) return {};
  const Spelling spelling = spelling_of(family);
  const bool hybrid = family.layers == Layers::hybrid;
  return {std::string(spelling.num_heads),
          std::string(spelling.head_dim),
          std::string(spelling.state_size),
          "n_groups",
          "conv_kernel",
          "chunk_size",
          "use_conv_bias",
          "use_bias",
          hybrid ? std::string(kPattern) : "expand"};
}

}  // namespace tradewind::model
