#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/core/error.h"
#include "sim/json/reader.h"
#include "sim/model/config.h"
#include "sim/model/load.h"
#include "sim/model/read.h"

namespace tradewind::model {

inline std::filesystem::path models_folder() {
  return std::filesystem::path(TRADEWIND_SOURCE_DIR) / "models";
}

/// Three layers small enough to count on paper; head_dim is not hidden_size / heads.
inline nlohmann::json small_model() {
  return {{"model_type", "llama"},    {"hidden_size", 8},         {"num_hidden_layers", 3},
          {"num_attention_heads", 4}, {"num_key_value_heads", 2}, {"head_dim", 3},
          {"intermediate_size", 16},  {"vocab_size", 10}};
}

/// Two Mamba-2 layers: 4 heads of 3 channels in 2 groups, 5 states.
inline nlohmann::json small_mamba() {
  return {{"model_type", "mamba2"}, {"hidden_size", 6}, {"num_hidden_layers", 2},
          {"num_heads", 4},         {"head_dim", 3},    {"state_size", 5},
          {"n_groups", 2},          {"conv_kernel", 4}, {"chunk_size", 8},
          {"vocab_size", 10}};
}

/// The layers of both, each part on its own: Mamba-2, MLP, attention, Mamba-2.
inline nlohmann::json small_hybrid() {
  return {{"model_type", "nemotron_h"},
          {"hidden_size", 8},
          {"num_hidden_layers", 4},
          {"hybrid_override_pattern", "M-*M"},
          {"num_attention_heads", 4},
          {"num_key_value_heads", 2},
          {"head_dim", 3},
          {"intermediate_size", 16},
          {"mamba_num_heads", 4},
          {"mamba_head_dim", 3},
          {"ssm_state_size", 5},
          {"n_groups", 2},
          {"conv_kernel", 4},
          {"chunk_size", 8},
          {"vocab_size", 10}};
}

inline ModelConfig read(nlohmann::json object) {
  return read_model(json::Document::from_value(std::move(object), "config.json").root(), "model");
}

/// A scenario whose member `model` is that value, as load_model meets it.
inline ModelConfig load(nlohmann::json model) {
  const auto scenario = json::Document::from_value({{"model", std::move(model)}}, "scenario.json");
  return load_model(*scenario.root().find("model"), models_folder());
}

/// The complaint of `action`, or "" when it has none. Other exceptions pass through: they are bugs.
template <typename Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace tradewind::model
