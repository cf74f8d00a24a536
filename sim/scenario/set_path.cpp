#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/scenario/reader.h"

namespace tradewind::scenario {
namespace {

/// The member under which a shorthand's text goes when it opens into an object.
std::string_view opened_as(std::string_view key) {
  if (key == "model" || key == "runtime" || key == "base") return "base";
  if (key == "cluster") return "node";
  if (key == "overlap") return "strategy";
  if (key == "scheduler") return "name";
  return {};
}

}  // namespace

void set_path(nlohmann::json& document, const std::string& dotted_path, nlohmann::json value,
              const std::string& origin) {
  nlohmann::json* at = &document;
  std::size_t begin = 0;
  while (true) {
    const std::size_t dot = dotted_path.find('.', begin);
    const std::string key = dotted_path.substr(begin, dot - begin);
    if (key.empty()) {
      throw InputError(origin, "", fmt::format("\"{}\" is not a dotted path", dotted_path));
    }
    if (!at->is_object()) {
      throw InputError(origin, "",
                       fmt::format("\"{}\": there is no object to hold \"{}\"", dotted_path, key));
    }
    nlohmann::json& member = (*at)[key];
    if (dot == std::string::npos) {
      member = std::move(value);
      return;
    }
    if (member.is_null()) member = nlohmann::json::object();
    if (member.is_string() && !opened_as(key).empty()) {
      member = nlohmann::json{{std::string(opened_as(key)), member}};
    }
    // The figures of `cluster.override` have dots in their own names.
    if (key == "override") {
      member[dotted_path.substr(dot + 1)] = std::move(value);
      return;
    }
    at = &member;
    begin = dot + 1;
  }
}

}  // namespace tradewind::scenario
