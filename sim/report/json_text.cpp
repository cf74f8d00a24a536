#include "sim/report/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace tradewind::report {

void append_json_string(std::string& text, std::string_view value) {
  text += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(text), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text += c;
    }
  }
  text += '"';
}

void append_json_number(std::string& text, const std::optional<double>& number) {
  if (number && std::isfinite(*number)) {
    fmt::format_to(std::back_inserter(text), "{}", *number);
  } else {
    text += "null";
  }
}

std::string& JsonObject::member(std::string_view name) {
  if (!is_empty_) text_ += ',';
  is_empty_ = false;
  append_json_string(text_, name);
  return text_ += ':';
}

void JsonObject::string(std::string_view name, std::string_view value) {
  append_json_string(member(name), value);
}

void JsonObject::number(std::string_view name, const std::optional<double>& value) {
  append_json_number(member(name), value);
}

void JsonObject::count(std::string_view name, const std::optional<std::int64_t>& value) {
  member(name) += value ? std::to_string(*value) : "null";
}

}  // namespace tradewind::report
