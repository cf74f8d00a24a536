#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/hardware/figure.h"
#include "sim/json/reader.h"

namespace tradewind::hardware {

/// Reads an object whose members are figures, `{ "value", "kind", "source" [, "note"] }`, and files
/// each under its dotted path. Strict: `finish()` refuses members that nobody asked for, a figure
/// without kind or source is an error, and so is a value of the wrong type or range.
class FigureReader {
 public:
  /// `figures` must outlive the reader. `prefix` goes before every path filed ("link.").
  FigureReader(json::Node object, Figures& figures, std::string prefix = "");

  double number(std::string_view key, json::Range range = json::kPositive);
  /// 0 where the figure is absent or its value null ("not supported", "not known").
  double number_or_none(std::string_view key, json::Range range = json::kPositive);
  int integer(std::string_view key, int low, int high);
  bool boolean(std::string_view key);
  std::string text(std::string_view key);
  /// One of `names`.
  std::string name(std::string_view key, std::string_view what, std::span<const std::string> names);
  /// Empty where absent.
  std::string text_or_none(std::string_view key);

  FigureReader section(std::string_view key);
  std::optional<FigureReader> optional_section(std::string_view key);
  /// Members that are not figures (name, title ...).
  json::ObjectReader& plain() { return members_; }
  void finish() const { members_.finish(); }

 private:
  std::optional<json::Node> value_of(std::string_view key, const json::Node& figure);
  json::Node required_value(std::string_view key);

  json::ObjectReader members_;
  Figures* figures_;
  std::string prefix_;
};

/// The `kind` member of a figure or a coefficient set; throws InputError when it isn't one.
std::string read_kind(json::ObjectReader& reader);
/// The `source` member; throws InputError when absent or empty.
std::string read_source(json::ObjectReader& reader);

}  // namespace tradewind::hardware
