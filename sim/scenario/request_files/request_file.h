#pragma once

#include <filesystem>
#include <vector>

#include "sim/scenario/serving.h"

namespace tradewind::scenario {

/// Requests as a file has them, in its order.
struct RequestFile {
  std::vector<Request> requests;
  bool has_arrivals = false;  ///< its rows say when they came; else all arrival_us are 0
};

/// Reads one of these, told apart by the first line, row by row (24 bytes a request are kept):
/// - Azure LLM inference traces (CSV `TIMESTAMP,ContextTokens,GeneratedTokens`; Azure Public
///   Dataset, 2023 and 2024);
/// - BurstGPT (CSV `Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type`,
/// seconds);
/// - CSV `arrival_s,input_tokens,output_tokens`, the first column optional;
/// - Mooncake (JSONL `timestamp` in ms, `input_length`, `output_length`, `hash_ids`), shared
///   prefixes as prefix_groups.h has them;
/// - lists of lengths (JSON array or JSONL of objects with `input_tokens` and `output_tokens` or
///   `prompt_len` and `output_len`, and `arrival_s` where known), as ShareGPT's are kept.
/// Other columns and members are passed over. Times count from the first row. InputError with file
/// and line for a missing column, a truncated row, a time before the one above, a request without
/// prompt or output.
RequestFile read_request_file(const std::filesystem::path& path);

}  // namespace tradewind::scenario
