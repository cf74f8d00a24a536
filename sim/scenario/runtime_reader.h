#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/json/reader.h"
#include "sim/scenario/runtime.h"

namespace tradewind::scenario {

/// A name in `folder` (configs/runtimes), a path, or an object; each may name a `base` runtime
/// whose fields it replaces. `vllm@0.9` is the file of that name where there is one, else `vllm`.
Runtime load_runtime(const json::Node& node, const std::filesystem::path& folder);

std::vector<std::string> names_of_runtimes(const std::filesystem::path& folder);

}  // namespace tradewind::scenario
