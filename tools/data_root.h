#pragma once

#include <filesystem>
#include <string_view>

namespace tradewind::tools {

/// The folder with `models/`, `hardware/`, `configs/` and `traces/`: `option` (`--data`) if it is
/// not empty, else the environment's TRADEWIND_DATA, else the installed data beside the program
/// (`<its folder>/../share/tradewind`), else the source tree it was built from. What a person
/// asked for is never passed over: InputError when it has no `models/` or no `hardware/`.
std::filesystem::path find_data_root(std::string_view option);

}  // namespace tradewind::tools
