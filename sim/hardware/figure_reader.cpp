#include "sim/hardware/figure_reader.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace tradewind::hardware {
namespace {

std::string as_text(const std::optional<json::Node>& value) {
  if (!value) return "none";
  if (value->is_boolean()) return value->boolean() ? "true" : "false";
  if (value->is_string()) return value->string();
  if (value->is_number()) return fmt::format("{}", value->number());
  return "";
}

}  // namespace

std::string read_kind(json::ObjectReader& reader) {
  static const std::vector<std::string> kinds(kFigureKinds.begin(), kFigureKinds.end());
  return reader.required("kind").name("kind", kinds);
}

std::string read_source(json::ObjectReader& reader) {
  const json::Node node = reader.required("source");
  std::string source = node.string();
  if (source.empty()) node.expected("who says so");
  return source;
}

FigureReader::FigureReader(json::Node object, Figures& figures, std::string prefix)
    : members_(std::move(object)), figures_(&figures), prefix_(std::move(prefix)) {}

std::optional<json::Node> FigureReader::value_of(std::string_view key, const json::Node& figure) {
  json::ObjectReader reader(figure);
  std::optional<json::Node> value = reader.optional("value");
  std::string kind = read_kind(reader);
  std::string source = read_source(reader);
  std::string note = reader.string("note", "");
  reader.finish();
  const double number = value && value->is_number() ? value->number() : 0;
  (*figures_)[prefix_ + std::string(key)] =
      Figure{number, std::move(kind), std::move(source), std::move(note), as_text(value)};
  return value;
}

json::Node FigureReader::required_value(std::string_view key) {
  const json::Node figure = members_.required(key);
  std::optional<json::Node> value = value_of(key, figure);
  if (!value) figure.fail("needs a member \"value\"");
  return *value;
}

double FigureReader::number(std::string_view key, json::Range range) {
  return required_value(key).number(range);
}

double FigureReader::number_or_none(std::string_view key, json::Range range) {
  const std::optional<json::Node> figure = members_.optional(key);
  if (!figure) return 0;
  const std::optional<json::Node> value = value_of(key, *figure);
  return value ? value->number(range) : 0;
}

int FigureReader::integer(std::string_view key, int low, int high) {
  return static_cast<int>(required_value(key).integer(low, high));
}

bool FigureReader::boolean(std::string_view key) {
  return required_value(key).boolean();
}

std::string FigureReader::text(std::string_view key) {
  return required_value(key).string();
}

std::string FigureReader::name(std::string_view key, std::string_view what,
                               std::span<const std::string> names) {
  return required_value(key).name(what, names);
}

std::string FigureReader::text_or_none(std::string_view key) {
  return members_.optional(key) ? text(key) : "";
}

FigureReader FigureReader::section(std::string_view key) {
  return FigureReader(members_.required(key), *figures_, fmt::format("{}{}.", prefix_, key));
}

std::optional<FigureReader> FigureReader::optional_section(std::string_view key) {
  if (!members_.optional(key)) return std::nullopt;
  return section(key);
}

}  // namespace tradewind::hardware
