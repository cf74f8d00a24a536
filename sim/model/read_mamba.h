#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/json/reader.h"
#include "sim/model/config.h"
#include "sim/model/family.h"

namespace tradewind::model {

/// Reads the Mamba-2 part of a `config.json` and the kind of each layer; does nothing for a family
/// of transformers. The sizes are required (Hugging Face always writes them), but for chunk_size.
/// Throws InputError where sizes do not divide or the pattern does not have a letter a layer.
void read_mamba(json::ObjectReader& reader, const Family& family, ModelConfig& config);

/// Adds the keys that `read_mamba` turns back into the same.
void write_mamba(const ModelConfig& config, const Family& family, nlohmann::json& object);

/// The keys that `read_mamba` looks at.
std::vector<std::string> mamba_fields(const Family& family);

}  // namespace tradewind::model
