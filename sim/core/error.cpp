#include "sim/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tradewind {
namespace {

std::string one_line(const std::string& file, const std::string& pointer,
                     const std::string& message) {
  std::string text = file;
  if (!pointer.empty()) text += fmt::format("{}{}", text.empty() ? "" : ": ", pointer);
  return fmt::format("{}{}{}", text, text.empty() ? "" : ": ", message);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                        std::tolower(static_cast<unsigned char>(b[j - 1]));
      const std::size_t best = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row.back();
}

std::size_t common_start(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  while (i < std::min(a.size(), b.size()) && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

InputError::InputError(std::string file, std::string pointer, std::string message)
    : std::runtime_error(one_line(file, pointer, message)),
      file_(std::move(file)),
      pointer_(std::move(pointer)),
      message_(std::move(message)) {}

std::string_view nearest_name(std::string_view word, std::span<const std::string> candidates) {
  return nearest_name(word, candidates, std::max<std::size_t>(2, word.size() / 3));
}

std::string_view nearest_name(std::string_view word, std::span<const std::string> candidates,
                              std::size_t farthest) {
  // Names of 100 characters and more are not typing mistakes; the bound keeps the search cheap.
  if (word.size() > 100) return {};
  std::string_view best;
  std::size_t best_distance = farthest + 1, best_start = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    const std::size_t start = common_start(word, candidate);
    // Beginnings are seldom mistyped: they decide between equals.
    if (distance > best_distance || distance > farthest) continue;
    if (distance == best_distance && start <= best_start) continue;
    best = candidate, best_distance = distance, best_start = start;
  }
  if (!best.empty() || farthest == 0 || word.size() < 3) return best;
  // Nothing is one slip away: the word may be the beginning of the name.
  const auto begun = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const std::string& name) { return name.starts_with(word); });
  return begun == candidates.end() ? best : std::string_view(*begun);
}

std::string unknown_name(std::string_view what, std::string_view word,
                         std::span<const std::string> candidates) {
  constexpr std::size_t kShown = 60;
  const std::string shown(word.size() > kShown ? std::string(word.substr(0, kShown)) + "..."
                                               : std::string(word));
  const std::string_view nearest = nearest_name(word, candidates);
  std::string text = fmt::format("unknown {} \"{}\"", what, shown);
  if (!nearest.empty()) text += fmt::format("; did you mean \"{}\"?", nearest);
  if (!candidates.empty()) text += fmt::format(" (known: {})", fmt::join(candidates, ", "));
  return text;
}

}  // namespace tradewind
