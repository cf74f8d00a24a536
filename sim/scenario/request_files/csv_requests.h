#pragma once

#include <string_view>

#include "sim/scenario/request_files/line_reader.h"
#include "sim/scenario/request_files/request_file.h"

namespace tradewind::scenario {

/// The rest of a CSV file whose header row `header` the reader has just given.
RequestFile read_csv_requests(LineReader& reader, std::string_view header);

}  // namespace tradewind::scenario
