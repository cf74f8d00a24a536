#pragma once

#include <string_view>

#include "sim/scenario/request_files/line_reader.h"
#include "sim/scenario/request_files/request_file.h"

namespace tradewind::scenario {

/// One JSON object a line; the reader has just given the first.
RequestFile read_json_lines(LineReader& reader, std::string_view first);

/// One JSON array of objects.
RequestFile read_json_array(const std::filesystem::path& path);

}  // namespace tradewind::scenario
