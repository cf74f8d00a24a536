#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/json/reader.h"

namespace tradewind::json {
namespace {

constexpr int kDeepest = 200;

/// Stops on what the grammar allows and a person never means: a member given twice, and nesting
/// so deep that recursive readers would run out of stack.
class Guard {
 public:
  explicit Guard(std::string file) : file_(std::move(file)) {}

  bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > kDeepest) {
      throw InputError(file_, "", fmt::format("is nested deeper than {} levels", kDeepest));
    }
    if (event == Event::object_start) {
      members_.emplace_back();
    } else if (event == Event::object_end) {
      members_.pop_back();
    } else if (event == Event::key && !members_.back().insert(parsed.get<std::string>()).second) {
      throw InputError(file_, "",
                       fmt::format("member \"{}\" is given twice", parsed.get<std::string>()));
    }
    return true;
  }

 private:
  std::string file_;
  std::vector<std::set<std::string>> members_;
};

std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

/// Before the parser: destroying a value nested a million deep would run out of stack.
void check_depth(std::string_view text, const std::string& file) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) {
        throw InputError(file, "", fmt::format("is nested deeper than {} levels", kDeepest));
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

}  // namespace

Document Document::parse(std::string_view text, std::string file) {
  check_depth(text, file);
  Document document;
  document.file_ = std::move(file);
  const std::string& name = document.file_;
  try {
    document.value_ = std::make_shared<const nlohmann::json>(
        nlohmann::json::parse(text, Guard(name), true, false));
  } catch (const nlohmann::json::parse_error& error) {
    std::string what = error.what();
    const std::size_t colon = what.find(": ");
    if (colon != std::string::npos) what = what.substr(colon + 2);
    std::replace_if(
        what.begin(), what.end(), [](unsigned char c) { return c < ' '; }, ' ');
    throw InputError(name, "",
                     fmt::format("is not JSON: {}: {}", position(text, error.byte), what));
  } catch (const nlohmann::json::out_of_range&) {
    throw InputError(name, "", "has a number too large for any use");
  }
  return document;
}

Document Document::load(const std::string& path) {
  return parse(read_file(path), path == "-" ? "stdin" : path);
}

Document Document::from_value(nlohmann::json value, std::string file) {
  Document document;
  document.file_ = std::move(file);
  document.value_ = std::make_shared<const nlohmann::json>(std::move(value));
  return document;
}

}  // namespace tradewind::json
