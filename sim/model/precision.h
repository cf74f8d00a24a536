#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/data_type.h"
#include "sim/json/reader.h"

namespace tradewind::model {

/// The number formats of a run. GEMMs multiply in the format of `activations`; weights stored in
/// another one are converted on the way.
struct Precision {
  DataType weights = DataType::bf16;      ///< of the layers' matrices, as stored
  DataType activations = DataType::bf16;  ///< inputs of the layers' GEMMs
  DataType kv_cache = DataType::bf16;
  DataType communication = DataType::bf16;  ///< of activations between devices

  bool operator==(const Precision&) const = default;
};

/// The shorthands, in the order of the documentation.
///
/// name  | weights | activations | KV   | communication
/// ------|---------|-------------|------|--------------
/// bf16  | bf16    | bf16        | bf16 | bf16
/// fp16  | fp16    | fp16        | fp16 | fp16
/// fp8   | fp8     | fp8         | fp8  | bf16
/// fp6   | fp6     | fp6         | fp8  | bf16
/// fp4   | fp4     | fp4         | fp8  | bf16
/// int8  | int8    | int8        | bf16 | bf16   (W8A8 in vLLM leaves the KV cache alone)
/// w4a16 | int4    | bf16        | bf16 | bf16   (AWQ, GPTQ)
/// w8a16 | int8    | bf16        | bf16 | bf16
std::vector<std::string> precision_names();

/// The precision of that shorthand, or nothing.
std::optional<Precision> parse_precision(std::string_view name);

/// The shorthand of that precision, or empty when it has none.
std::string_view shorthand(const Precision& precision);

/// Reads a shorthand or `{ "weights", "activations", "kv_cache", "communication" }`. Absent:
/// weights bf16; activations as the weights if those have 16 bits or more, else bf16 (weight-only
/// quantisation); kv_cache and communication as the activations if those have 16 bits or more, else
/// bf16. Throws InputError.
Precision read_precision(const json::Node& node);

/// The object that `read_precision` turns back into the same precision.
nlohmann::json to_json(const Precision& precision);

}  // namespace tradewind::model
