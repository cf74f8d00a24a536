#include "sim/hardware/device_speeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "sim/core/error.h"

namespace tradewind::hardware {
namespace {

constexpr double kFastest = 2;

double read_speed(const json::Node& node) {
  constexpr std::string_view kAllowed = "a speed above 0 and at most 2 (1 = as the profile says)";
  if (!node.is_number()) node.expected(kAllowed);
  const double speed = node.number();
  if (!(speed > 0 && speed <= kFastest)) node.expected(kAllowed);
  return speed;
}

/// The device that a member's name counts, from 0; nothing if it is none of them.
std::optional<std::size_t> device_of(const std::string& key, int devices) {
  int device = -1;
  const char* end = key.data() + key.size();
  const auto [stop, error] = std::from_chars(key.data(), end, device);
  if (error != std::errc() || stop != end || std::to_string(device) != key) return std::nullopt;
  if (device < 0 || device >= devices) return std::nullopt;
  return static_cast<std::size_t>(device);
}

std::vector<double> read_array(const json::Node& node, int devices) {
  std::vector<double> speeds;
  for (const json::Node& element : node.elements()) speeds.push_back(read_speed(element));
  if (speeds.size() != static_cast<std::size_t>(devices)) {
    node.fail(fmt::format("has {} speeds, expected one for each of the {} devices", speeds.size(),
                          devices));
  }
  return speeds;
}

std::vector<double> read_object(const json::Node& node, int devices) {
  std::vector<double> speeds(static_cast<std::size_t>(devices), 1.0);
  for (const std::string& key : node.keys()) {
    const std::optional<std::size_t> device = device_of(key, devices);
    if (!device) {
      throw InputError(
          node.file(), node.pointer() + json::pointer_step(key),
          fmt::format("there is no device \"{}\": the cluster has 0 to {}", key, devices - 1));
    }
    if (const auto speed = node.find(key)) speeds[*device] = read_speed(*speed);
  }
  return speeds;
}

}  // namespace

std::vector<double> read_device_speeds(const json::Node& node, int devices) {
  if (!node.is_array() && !node.is_object()) {
    node.expected("an array of speeds, or an object from device to speed");
  }
  std::vector<double> speeds =
      node.is_array() ? read_array(node, devices) : read_object(node, devices);
  if (std::all_of(speeds.begin(), speeds.end(), [](double speed) { return speed == 1; })) return {};
  return speeds;
}

}  // namespace tradewind::hardware
