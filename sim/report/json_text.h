#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tradewind::report {

/// JSON written straight into a text: what a sweep of many points needs a hundred times a point.
void append_json_string(std::string& text, std::string_view value);
/// Reads back to the same bits; null when absent or not finite.
void append_json_number(std::string& text, const std::optional<double>& number);

/// An object whose members are appended one after the other.
class JsonObject {
 public:
  explicit JsonObject(std::string& text) : text_(text) { text_ += '{'; }

  /// The text, ready for the value of that member.
  std::string& member(std::string_view name);
  void string(std::string_view name, std::string_view value);
  void number(std::string_view name, const std::optional<double>& value);
  void count(std::string_view name, const std::optional<std::int64_t>& value);
  void close() { text_ += '}'; }

 private:
  std::string& text_;
  bool is_empty_ = true;
};

}  // namespace tradewind::report
