#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/json/reader.h"
#include "sim/model/config.h"

namespace tradewind::model {

/// The names in the folder of models (file names without `.json`), sorted.
std::vector<std::string> known_models(const std::filesystem::path& folder);

/// The model that a scenario's `model` means:
/// - a string: a name in `folder`, else (with a `/` or ending in `.json`) a path, relative to the
///   current directory, to a file that `read_model` reads;
/// - an object with "model_type": the same inline;
/// - an object with "base" (a name or a path): that model with fields replaced, each of which must
///   be one of `model_fields()`; a field set to null is as if the base had none.
/// Throws InputError.
ModelConfig load_model(const json::Node& node, const std::filesystem::path& folder);

/// The same from a name or path.
ModelConfig load_model(const std::string& name_or_path, const std::filesystem::path& folder);

}  // namespace tradewind::model
