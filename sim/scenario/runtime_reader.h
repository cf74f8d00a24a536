#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/hardware/accelerator.h"
#include "sim/json/reader.h"
#include "sim/scenario/runtime.h"

namespace tradewind::scenario {

/// A name in `folder` (configs/runtimes), a path, or an object; each may name a `base` runtime
/// whose fields it replaces. `vllm@0.9.1` is the file of that name where there is one, else
/// `vllm@0.9`, else `vllm`, which its notes then say. Under `on` a file says what it is like on an
/// architecture.
Runtime load_runtime(const json::Node& node, const std::filesystem::path& folder);

/// The name of the file in `folder` that a name means: "vllm@0.9.1", else "vllm@0.9", else "vllm";
/// the name itself where there is none.
std::string known_version(const std::string& name, const std::filesystem::path& folder);

/// "cdna3" of "CDNA3 (gfx942)": the architecture's name under `on`.
std::string architecture_key(const hardware::Accelerator& accelerator);

/// The runtime with the constants that were measured on that architecture; with the common ones,
/// and a note that says so, where none were.
std::shared_ptr<const Runtime> runtime_on(std::shared_ptr<const Runtime> runtime,
                                          const hardware::Accelerator& accelerator);

std::vector<std::string> names_of_runtimes(const std::filesystem::path& folder);

}  // namespace tradewind::scenario
