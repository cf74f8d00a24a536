#include "validation/import/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"

namespace tradewind::validation {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

struct Spelling {
  std::string_view python, quoted;
};
constexpr Spelling kSpellings[] = {
    {"-Infinity", "\"-inf\""}, {"Infinity", "\"inf\""}, {"NaN", "\"nan\""}};

/// Python's spellings quoted; what stands inside strings is left alone.
std::string plain_json(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  bool in_string = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto spelling = in_string ? std::end(kSpellings)
                                    : std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                                   [&](const auto& one) {
                                                     return text.substr(at).starts_with(one.python);
                                                   });
    if (spelling != std::end(kSpellings)) {
      plain += spelling->quoted;
      at += spelling->python.size();
      continue;
    }
    if (in_string && text[at] == '\\' && at + 1 < text.size()) plain += text[at++];
    if (text[at] == '"') in_string = !in_string;
    plain += text[at++];
  }
  return plain;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(kSpace) == std::string_view::npos;
}

/// Whether the first line is a document by itself and more follows.
bool holds_lines(std::string_view text) {
  const std::size_t end = text.find('\n', text.find_first_not_of(kSpace));
  if (end == std::string_view::npos || is_blank(text.substr(end))) return false;
  return nlohmann::json::accept(text.substr(0, end));
}

json::Document object_document(std::string_view text, const std::string& name) {
  json::Document document = json::Document::parse(text, name);
  if (!document.root().is_object()) document.root().expected("an object");
  return document;
}

}  // namespace

std::string read_text(std::istream& in, const std::string& file) {
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw InputError(file, "", "reading failed half-way");
  if (is_blank(text)) throw InputError(file, "", "is empty");
  return text;
}

std::vector<json::Document> read_records(std::istream& in, const std::string& file) {
  const std::string text = plain_json(read_text(in, file));
  std::vector<json::Document> records;
  if (!holds_lines(text)) {
    records.push_back(object_document(text, file));
    return records;
  }
  std::string_view rest = text;
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view one = rest.substr(0, end);
    if (!is_blank(one)) records.push_back(object_document(one, fmt::format("{}:{}", file, line)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return records;
}

std::optional<double> figure(const json::Node& object, std::string_view key) {
  const auto found = object.find(key);
  if (!found || found->value() == "nan") return std::nullopt;
  return found->number(json::kNotNegative);
}

std::optional<double> figure_or_infinity(const json::Node& object, std::string_view key) {
  const auto found = object.find(key);
  if (found && found->value() == "inf") return std::numeric_limits<double>::infinity();
  return figure(object, key);
}

double required_figure(const json::Node& object, std::string_view key) {
  return member(object, key).number(json::kNotNegative);
}

json::Node member(const json::Node& object, std::string_view key) {
  auto found = object.find(key);
  if (!found) object.fail(fmt::format("has no member \"{}\"", key));
  return *found;
}

}  // namespace tradewind::validation
