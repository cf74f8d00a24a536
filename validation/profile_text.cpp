#include "validation/profile_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/json/reader.h"

namespace tradewind::validation {
namespace {

using Json = nlohmann::ordered_json;

/// A piece of a text, by offsets.
struct Span {
  std::size_t begin, end;
};

/// The end of the JSON value or string that begins at `at`. The text is known to be valid JSON.
std::size_t value_end(std::string_view text, std::size_t at) {
  int depth = 0;
  bool in_string = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
      if (!in_string && depth == 0) return at + 1;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;
      if (--depth == 0) return at + 1;
    } else if (c == ',' && depth == 0) {
      return at;
    }
  }
  return at;
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

/// Where the value of that member of the root object stands; end() of both when it is absent.
Span member_value(std::string_view text, std::string_view name) {
  std::size_t at = skip_space(text, 0) + 1;
  while ((at = skip_space(text, at)) < text.size() && text[at] == '"') {
    const std::size_t key_end = value_end(text, at);
    const std::string_view key = text.substr(at + 1, key_end - at - 2);
    const std::size_t begin = skip_space(text, skip_space(text, key_end) + 1);
    const std::size_t end = value_end(text, begin);
    if (key == name) return {begin, end};
    at = skip_space(text, end) + 1;
  }
  return {text.size(), text.size()};
}

Json accuracy_json(const Accuracy& accuracy) {
  const auto short_form = [](double share) { return std::stod(fmt::format("{:.4f}", share)); };
  return {{"points", accuracy.points},
          {"median", short_form(accuracy.median)},
          {"p90", short_form(accuracy.p90)}};
}

Json set_json(const CalibratedSet& calibrated) {
  const hardware::CoefficientSet& set = calibrated.set;
  Json json = {{"op", set.op},     {"library", set.library}, {"dtype", set.dtype},
               {"kind", "fitted"}, {"source", set.source},   {"coefficients", Json::object()}};
  for (const auto& [name, value] : set.values) json["coefficients"][name] = value;
  json["fit"] = accuracy_json(calibrated.fit_after);
  if (calibrated.check_after.points > 0) json["check"] = accuracy_json(calibrated.check_after);
  return json;
}

bool same_key(const Json& set, const hardware::CoefficientSet& other) {
  return set.value("op", "") == other.op && set.value("library", "") == other.library &&
         set.value("dtype", "") == other.dtype;
}

/// On one line, with the spaces that people write.
std::string inline_text(const Json& json) {
  if (json.is_number_float()) return fmt::format("{}", json.get<double>());
  if (!json.is_object() || json.empty()) return json.dump();
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", Json(key).dump(), inline_text(value));
  }
  return "{ " + text + " }";
}

/// A line a member, as the profiles are written.
std::string sets_text(const Json& sets) {
  std::string text;
  for (const Json& set : sets) {
    std::string members;
    for (const auto& [key, value] : set.items()) {
      members += fmt::format("{}      {}: {}", members.empty() ? "" : ",\n", Json(key).dump(),
                             inline_text(value));
    }
    text += fmt::format("{}    {{\n{}\n    }}", text.empty() ? "" : ",\n", members);
  }
  return text.empty() ? "[]" : "[\n" + text + "\n  ]";
}

}  // namespace

std::string with_calibrated_kernels(std::string_view text, const std::string& file,
                                    std::span<const CalibratedSet> sets) {
  const json::Document document = json::Document::parse(text, file);
  if (!document.root().is_object()) document.root().expected("an accelerator profile");
  const Span old = member_value(text, "kernels");
  Json kernels = Json::array();
  if (old.begin < old.end) kernels = Json::parse(text.substr(old.begin, old.end - old.begin));
  if (!kernels.is_array()) throw InputError(file, "/kernels", "found no array of sets");

  for (const CalibratedSet& calibrated : sets) {
    const auto same = std::find_if(kernels.begin(), kernels.end(),
                                   [&](const Json& set) { return same_key(set, calibrated.set); });
    if (same != kernels.end()) {
      Json fresh = set_json(calibrated);
      if (same->contains("note")) fresh["note"] = (*same)["note"];
      *same = std::move(fresh);
    } else {
      kernels.push_back(set_json(calibrated));
    }
  }
  const std::string list = sets_text(kernels);
  if (old.begin < old.end) {
    return fmt::format("{}{}{}", text.substr(0, old.begin), list, text.substr(old.end));
  }
  const std::size_t last = text.find_last_not_of(" \t\r\n", text.rfind('}') - 1);
  return fmt::format("{},\n  \"kernels\": {}\n}}\n", text.substr(0, last + 1), list);
}

}  // namespace tradewind::validation
