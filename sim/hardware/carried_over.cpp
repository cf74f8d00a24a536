#include "sim/hardware/carried_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/core/error.h"
#include "sim/hardware/profile_store.h"
#include "sim/json/reader.h"

namespace tradewind::hardware {
namespace fs = std::filesystem;
namespace {

/// Longer chains are mistakes: the third profile already shares little silicon with the first.
constexpr int kLongestChain = 4;

std::optional<json::Node> base_of(const json::Node& profile) {
  if (!profile.is_object()) profile.expected("an accelerator profile");
  const std::optional<json::Node> figure = profile.find("kernels_from");
  return figure ? figure->find("value") : std::nullopt;
}

/// Empty for what isn't a string: the strict reader comes later and says so.
std::string text_of(const nlohmann::json& set, const char* key) {
  const auto member = set.find(key);
  return member != set.end() && member->is_string() ? member->get<std::string>() : "";
}

bool same_key(const nlohmann::json& a, const nlohmann::json& b) {
  for (const char* key : {"op", "library", "dtype"})
    if (text_of(a, key) != text_of(b, key)) return false;
  return true;
}

/// What keeps pace with the clock, counted in the peaks and clocks of the datasheet.
constexpr std::array<std::string_view, 3> kClocked = {"matrix_efficiency", "feed_bytes_per_clock",
                                                      "store_bytes_per_clock"};

/// Of the base's clock under load; 1 where nothing is said.
double clock_share(const nlohmann::json& profile) {
  const auto figure = profile.find("kernels_clock_share");
  if (figure == profile.end() || !figure->is_object()) return 1;
  const auto value = figure->find("value");
  return value != figure->end() && value->is_number() ? value->get<double>() : 1;
}

void slow_down(nlohmann::json& set, double share) {
  const auto coefficients = set.find("coefficients");
  if (share == 1 || coefficients == set.end() || !coefficients->is_object()) return;
  for (const std::string_view name : kClocked) {
    const auto found = coefficients->find(std::string(name));
    if (found != coefficients->end() && found->is_number()) {
      *found = found->get<double>() * share;
    }
  }
}

void add_missing(nlohmann::json& kernels, const nlohmann::json& base, std::string_view from,
                 double share) {
  const std::size_t own = kernels.size();
  for (nlohmann::json set : base) {
    const auto end = kernels.begin() + static_cast<std::ptrdiff_t>(own);
    if (std::any_of(kernels.begin(), end, [&](const auto& other) { return same_key(other, set); }))
      continue;
    if (text_of(set, "kind") != "assumed") {
      set["kind"] = "assumed";
      const std::string clock = share == 1 ? "" : fmt::format(" at {} of its clock", share);
      set["source"] =
          fmt::format("carried over from {}{}: {}", from, clock, text_of(set, "source"));
    }
    set.erase("fit");
    set.erase("check");
    slow_down(set, share);
    kernels.push_back(std::move(set));
  }
}

json::Document load(const fs::path& file, const fs::path& data, int length) {
  json::Document document = json::Document::load(file.string());
  const std::optional<json::Node> base = base_of(document.root());
  if (!base) return document;
  if (length == kLongestChain) base->fail("kernels_from goes round in a circle or on for too long");
  const fs::path base_file = profile_path(ProfileKind::accelerator, reference_at(*base), data);
  const json::Document from = load(base_file, data, length + 1);
  // Anything but two arrays of objects is left for the strict reader to complain about.
  const auto readable = [](const nlohmann::json& holder) {
    const auto kernels = holder.find("kernels");
    return kernels != holder.end() && kernels->is_array() &&
           std::all_of(kernels->begin(), kernels->end(),
                       [](const nlohmann::json& set) { return set.is_object(); });
  };
  if (!readable(document.value()) || !readable(from.value())) return document;
  nlohmann::json profile = document.value();
  add_missing(profile["kernels"], from.value()["kernels"], base->string(), clock_share(profile));
  return json::Document::from_value(std::move(profile), file.string());
}

}  // namespace

json::Document load_with_carried_over_kernels(const fs::path& file, const fs::path& data) {
  return load(file, data, 1);
}

}  // namespace tradewind::hardware
