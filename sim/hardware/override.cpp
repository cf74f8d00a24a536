#include "sim/hardware/override.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tradewind::hardware {
namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> steps;
  for (std::size_t start = 0;;) {
    const std::size_t dot = path.find('.', start);
    steps.emplace_back(path.substr(start, dot - start));
    if (dot == std::string_view::npos) return steps;
    start = dot + 1;
  }
}

bool is_figure(const nlohmann::json& value) {
  return value.is_object() && value.contains("value");
}

bool override_coefficient(nlohmann::json& profile, const std::vector<std::string>& steps,
                          const nlohmann::json& value, std::string_view source) {
  if (steps.size() != 5 || !profile.contains("kernels")) return false;
  for (nlohmann::json& set : profile["kernels"]) {
    if (set.value("op", "") != steps[1] || set.value("library", "") != steps[2] ||
        set.value("dtype", "") != steps[3]) {
      continue;
    }
    if (!set["coefficients"].contains(steps[4])) return false;
    set["coefficients"][steps[4]] = value;
    set["kind"] = "assumed";
    set["source"] = source;
    return true;
  }
  return false;
}

}  // namespace

bool override_figure(nlohmann::json& profile, std::string_view path, const nlohmann::json& value,
                     std::string_view source) {
  const std::vector<std::string> steps = split(path);
  if (steps.front() == "kernels") return override_coefficient(profile, steps, value, source);
  nlohmann::json* section = &profile;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const auto next = section->find(steps[i]);
    if (next == section->end() || !next->is_object() || is_figure(*next)) return false;
    section = &*next;
  }
  const auto old = section->find(steps.back());
  if (old != section->end() && !is_figure(*old)) return false;
  (*section)[steps.back()] = {{"value", value}, {"kind", "assumed"}, {"source", source}};
  return true;
}

}  // namespace tradewind::hardware
