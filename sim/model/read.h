#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/reader.h"
#include "sim/model/config.h"

namespace tradewind::model {

/// Reads a `config.json` object: Hugging Face's as downloaded, or ours in `models/` (the same keys
/// and "source"). Keys of other tools are passed over; the keys of `model_fields` are checked.
/// Sizes are required, except: num_key_value_heads (absent: as many as query heads), head_dim and
/// max_position_embeddings (absent: see family.h), chunk_size (absent: 256).
/// `qkv_bias`, `o_bias` and `qk_norm` replace what the family has. Throws InputError for a
/// model_type that is not supported, a missing size, a value of the wrong kind or out of range,
/// sizes that do not divide, and a key one or two letters off a known key that is absent.
/// `name` is used where the object has none.
ModelConfig read_model(const json::Node& object, std::string name);

/// The keys that `read_model` looks at in a model of that type, which must be a known one.
std::vector<std::string> model_fields(std::string_view model_type);

/// The object that `read_model` turns back into the same configuration.
nlohmann::json to_json(const ModelConfig& config);

}  // namespace tradewind::model
