#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tradewind {

/// Number formats of weights, activations, KV cache and messages.
enum class DataType { fp32, bf16, fp16, fp8, fp6, fp4, int8, int4 };
inline constexpr std::size_t kDataTypeCount = 8;

struct DataTypeFacts {
  std::string_view name;
  double bits;             ///< of one element
  double bits_with_scale;  ///< with the share of a block's scale where the format has one
};

/// fp4 and fp6 are the OCP Microscaling formats MXFP4 and MXFP6 (OCP MX v1.0, section 5.2): one
/// 8-bit scale a block of 32. fp8 weights have one scale a tensor or a 128 x 128 block: below
/// 0.02 %, not counted. int4 (AWQ, GPTQ) has one 16-bit scale and one zero point (4 bits) per
/// group of 128.
inline constexpr std::array<DataTypeFacts, kDataTypeCount> kDataTypes = {{
    {"fp32", 32, 32},
    {"bf16", 16, 16},
    {"fp16", 16, 16},
    {"fp8", 8, 8},
    {"fp6", 6, 6 + 8.0 / 32},
    {"fp4", 4, 4 + 8.0 / 32},
    {"int8", 8, 8},
    {"int4", 4, 4 + 20.0 / 128},
}};

constexpr const DataTypeFacts& facts(DataType type) {
  return kDataTypes[static_cast<std::size_t>(type)];
}
constexpr std::string_view to_string(DataType type) {
  return facts(type).name;
}
constexpr double bytes_per_element(DataType type) {
  return facts(type).bits / 8;
}

/// The type of that name, or nothing.
constexpr std::optional<DataType> parse_data_type(std::string_view name) {
  for (std::size_t i = 0; i < kDataTypeCount; ++i)
    if (kDataTypes[i].name == name) return static_cast<DataType>(i);
  return std::nullopt;
}

}  // namespace tradewind
