#include "validation/import/device_names.h"

#include <algorithm>
#include <cctype>

namespace tradewind::validation {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// The model number that starts a word: one or two letters, digits, and for AMD a letter more.
std::string model_number(std::string_view word) {
  std::size_t at = 0;
  while (at < word.size() && is_letter(word[at])) ++at;
  if (at == 0 || at > 2) return "";
  const std::size_t digits = at;
  while (at < word.size() && is_digit(word[at])) ++at;
  if (at - digits < 2) return "";
  if (word.starts_with("mi") && at < word.size() && is_letter(word[at])) ++at;
  return std::string(word.substr(0, at));
}

}  // namespace

std::string device_of_driver_name(std::string_view name) {
  const std::string text = lower(name);
  std::string device;
  for (std::size_t at = 0; at < text.size() && device.empty();) {
    const std::size_t end = std::min(text.find_first_of(" -_", at), text.size());
    device = model_number(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
  if (device.empty()) return device;
  if (text.find("pcie") != std::string::npos) return device + "-pcie";
  if (device == "a100" && text.find("40gb") != std::string::npos) return device + "-40";
  return device;
}

}  // namespace tradewind::validation
