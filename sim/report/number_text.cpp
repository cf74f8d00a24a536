#include "sim/report/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tradewind::report {

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string short_number(double number) {
  const double size = std::abs(number);
  if (size >= 1e15) return fmt::format("{:.3e}", number);
  if (size >= 999.95) return grouped(std::llround(number));
  if (size >= 99.995) return fmt::format("{:.1f}", number);
  if (size >= 9.9995) return fmt::format("{:.2f}", number);
  if (size >= 1) return fmt::format("{:.3f}", number);
  return fmt::format("{:.4g}", number);
}

std::string short_number(const std::optional<double>& number) {
  return number ? short_number(*number) : "-";
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string gigabytes(double bytes) {
  return fmt::format("{:.2f} GB", bytes * 1e-9);
}

std::string bar(double share, int width) {
  static constexpr std::array<std::string_view, 8> kEighths = {"",  "▏", "▎", "▍",
                                                               "▌", "▋", "▊", "▉"};
  const double columns = std::clamp(share, 0.0, 1.0) * width;
  const auto eighths = static_cast<std::size_t>(std::lround(columns * 8));
  std::string text;
  for (std::size_t full = 0; full < eighths / 8; ++full) text += "█";
  return text.append(kEighths[eighths % 8]);
}

std::size_t column_count(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues));
}

std::string left_aligned(std::string_view text, std::size_t width) {
  std::string cut(text);
  if (column_count(text) > width) {
    cut.clear();
    std::size_t columns = 0;
    for (const char c : text) {
      const bool starts = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      if (starts && ++columns + 3 > width) break;
      cut += c;
    }
    cut += "...";
  }
  return cut.append(width - std::min(width, column_count(cut)), ' ');
}

std::string right_aligned(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, column_count(text)), ' ').append(text);
}

}  // namespace tradewind::report
