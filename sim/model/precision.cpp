#include "sim/model/precision.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "sim/model/names.h"

namespace tradewind::model {
namespace {

struct Shorthand {
  std::string_view name;
  Precision precision;
};

using enum DataType;
constexpr std::array<Shorthand, 8> kShorthands = {{{"bf16", {bf16, bf16, bf16, bf16}},
                                                   {"fp16", {fp16, fp16, fp16, fp16}},
                                                   {"fp8", {fp8, fp8, fp8, bf16}},
                                                   {"fp6", {fp6, fp6, fp8, bf16}},
                                                   {"fp4", {fp4, fp4, fp8, bf16}},
                                                   {"int8", {int8, int8, bf16, bf16}},
                                                   {"w4a16", {int4, bf16, bf16, bf16}},
                                                   {"w8a16", {int8, bf16, bf16, bf16}}}};

DataType unquantised(DataType type) {
  return facts(type).bits >= 16 ? type : bf16;
}

DataType read_type(json::ObjectReader& reader, std::string_view key, DataType fallback) {
  const auto found = reader.optional(key);
  if (!found) return fallback;
  return *parse_data_type(found->name("data type", names_of(kDataTypes)));
}

}  // namespace

std::vector<std::string> precision_names() {
  return names_of(kShorthands);
}

std::optional<Precision> parse_precision(std::string_view name) {
  for (const Shorthand& known : kShorthands) {
    if (known.name == name) return known.precision;
  }
  return std::nullopt;
}

std::string_view shorthand(const Precision& precision) {
  for (const Shorthand& known : kShorthands) {
    if (known.precision == precision) return known.name;
  }
  return {};
}

Precision read_precision(const json::Node& node) {
  if (node.is_string()) return *parse_precision(node.name("precision", precision_names()));
  if (!node.is_object()) {
    node.expected(fmt::format("one of {}, or an object", fmt::join(precision_names(), ", ")));
  }
  json::ObjectReader reader(node);
  Precision precision;
  precision.weights = read_type(reader, "weights", bf16);
  precision.activations = read_type(reader, "activations", unquantised(precision.weights));
  precision.kv_cache = read_type(reader, "kv_cache", unquantised(precision.activations));
  precision.communication = read_type(reader, "communication", unquantised(precision.activations));
  reader.finish();
  return precision;
}

nlohmann::json to_json(const Precision& precision) {
  return {{"weights", to_string(precision.weights)},
          {"activations", to_string(precision.activations)},
          {"kv_cache", to_string(precision.kv_cache)},
          {"communication", to_string(precision.communication)}};
}

}  // namespace tradewind::model
