#include "sim/scenario/length_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tradewind::scenario {
namespace {

constexpr json::Range kTokens{1, kMostRequestTokens};

double tokens(const json::Node& node) {
  return static_cast<double>(node.integer(1, kMostRequestTokens));
}

Length::Kind read_kind(const json::Node& node) {
  const std::vector<std::string> names(kDistributionNames.begin(), kDistributionNames.end());
  const std::string name = node.name("distribution", names);
  return static_cast<Length::Kind>(std::find(names.begin(), names.end(), name) - names.begin());
}

double read_deviation(json::ObjectReader& reader) {
  const auto full_name = reader.optional("standard_deviation");
  const auto short_name = reader.optional("stddev");
  if (full_name && short_name) full_name->fail("stands beside stddev: one of the two is enough");
  const json::Range range{0, kMostRequestTokens};
  return full_name ? full_name->number(range) : reader.required("stddev").number(range);
}

void read_bounds(json::ObjectReader& reader, Length& length) {
  if (const auto minimum = reader.optional("min")) length.minimum = tokens(*minimum);
  const auto maximum = reader.optional("max");
  if (!maximum) return;
  length.maximum = tokens(*maximum);
  if (*length.maximum < length.minimum) {
    maximum->fail(fmt::format("max {} is below min {}", *length.maximum, length.minimum));
  }
}

Length read_distribution(const json::Node& node) {
  using Kind = Length::Kind;
  json::ObjectReader reader(node);
  Length length;
  length.kind = read_kind(reader.required("distribution"));
  switch (length.kind) {
    case Kind::fixed:
      length.mean = tokens(reader.required("mean"));
      break;
    case Kind::uniform:
      reader.required("min");
      reader.required("max");
      read_bounds(reader, length);
      break;
    case Kind::normal:
    case Kind::lognormal:
      length.standard_deviation = read_deviation(reader);
      [[fallthrough]];
    case Kind::exponential:
      length.mean = reader.required("mean").number(kTokens);
      read_bounds(reader, length);
      break;
  }
  reader.finish();
  return length;
}

}  // namespace

Length read_length(const json::Node& node) {
  if (node.is_object()) return read_distribution(node);
  if (!node.is_number()) node.expected("a number of tokens or an object with a distribution");
  Length length;
  length.mean = tokens(node);
  return length;
}

nlohmann::ordered_json to_json(const Length& length) {
  using Kind = Length::Kind;
  if (length.kind == Kind::fixed) return static_cast<std::int64_t>(length.mean);
  nlohmann::ordered_json json;
  json["distribution"] = kDistributionNames[static_cast<std::size_t>(length.kind)];
  if (length.kind != Kind::uniform) json["mean"] = length.mean;
  if (length.kind == Kind::normal || length.kind == Kind::lognormal) {
    json["stddev"] = length.standard_deviation;
  }
  json["min"] = static_cast<std::int64_t>(length.minimum);
  if (length.maximum) json["max"] = static_cast<std::int64_t>(*length.maximum);
  return json;
}

}  // namespace tradewind::scenario
