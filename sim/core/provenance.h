#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tradewind {

/// What an answer stands on, best first (design.md, "Cost models"). The report sums time by it.
enum class Provenance { measured, interpolated, fitted, datasheet, assumed };
inline constexpr std::size_t kProvenanceCount = 5;
inline constexpr std::array<std::string_view, kProvenanceCount> kProvenanceNames = {
    "measured", "interpolated", "fitted", "datasheet", "assumed"};

constexpr std::string_view to_string(Provenance provenance) {
  return kProvenanceNames[static_cast<std::size_t>(provenance)];
}
constexpr std::optional<Provenance> parse_provenance(std::string_view name) {
  for (std::size_t i = 0; i < kProvenanceCount; ++i)
    if (kProvenanceNames[i] == name) return static_cast<Provenance>(i);
  return std::nullopt;
}
/// A result from two inputs is no better than the worse of them.
constexpr Provenance weaker(Provenance a, Provenance b) {
  return a < b ? b : a;
}

}  // namespace tradewind
