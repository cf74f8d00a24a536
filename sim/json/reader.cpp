#include "sim/json/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"

namespace tradewind::json {
namespace {

std::string shortened(std::string text) {
  constexpr std::size_t kShown = 60;
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  return text;
}

std::string describe(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return shortened(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

bool Node::is_null() const {
  return value_->is_null();
}
bool Node::is_object() const {
  return value_->is_object();
}
bool Node::is_array() const {
  return value_->is_array();
}
bool Node::is_string() const {
  return value_->is_string();
}
bool Node::is_number() const {
  return value_->is_number();
}
bool Node::is_boolean() const {
  return value_->is_boolean();
}

void Node::fail(std::string message) const {
  throw InputError(file_, pointer_.empty() ? "/" : pointer_, std::move(message));
}

void Node::expected(std::string_view expected) const {
  fail(fmt::format("found {}, expected {}", describe(*value_), expected));
}

double Node::number(Range range) const {
  const auto allowed = [&] {
    if (range.low == kAnyNumber.low && range.high == kAnyNumber.high)
      return std::string("a number");
    if (range.high >= 1e300 && range.low == kPositive.low) return std::string("a positive number");
    if (range.high >= 1e300) return fmt::format("a number of at least {}", range.low);
    return fmt::format("a number from {} to {}", range.low, range.high);
  };
  if (!value_->is_number()) expected(allowed());
  const double number = value_->get<double>();
  if (!std::isfinite(number) || number < range.low || number > range.high) expected(allowed());
  return number;
}

std::int64_t Node::integer(std::int64_t low, std::int64_t high) const {
  const auto allowed = [&] { return fmt::format("an integer from {} to {}", low, high); };
  if (!value_->is_number()) expected(allowed());
  // 64.0 is an integer to JSON; 2^63 and 1e300 are not ours.
  const double number = value_->get<double>();
  if (!(number >= static_cast<double>(low) && number <= static_cast<double>(high)) ||
      number != std::floor(number)) {
    expected(allowed());
  }
  return value_->is_number_float() ? static_cast<std::int64_t>(number)
                                   : value_->get<std::int64_t>();
}

bool Node::boolean() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

std::string Node::string() const {
  if (!value_->is_string()) expected("a string");
  return value_->get<std::string>();
}

std::string Node::name(std::string_view what, std::span<const std::string> names) const {
  if (!value_->is_string()) expected(fmt::format("one of {}", fmt::join(names, ", ")));
  std::string word = value_->get<std::string>();
  if (std::find(names.begin(), names.end(), word) == names.end()) {
    fail(unknown_name(what, word, names));
  }
  return word;
}

std::vector<Node> Node::elements() const {
  if (!value_->is_array()) expected("an array");
  std::vector<Node> nodes;
  nodes.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    nodes.emplace_back((*value_)[i], file_, fmt::format("{}/{}", pointer_, i));
  }
  return nodes;
}

std::vector<std::string> Node::keys() const {
  if (!value_->is_object()) expected("an object");
  std::vector<std::string> names;
  for (const auto& item : value_->items()) names.push_back(item.key());
  return names;
}

std::optional<Node> Node::find(std::string_view key) const {
  if (!value_->is_object()) expected("an object");
  const auto found = value_->find(std::string(key));
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return Node(*found, file_, pointer_ + pointer_step(key));
}

ObjectReader::ObjectReader(Node node) : node_(std::move(node)) {
  if (!node_.is_object()) node_.expected("an object");
}

std::optional<Node> ObjectReader::optional(std::string_view key) {
  known_.emplace_back(key);
  return node_.find(key);
}

Node ObjectReader::required(std::string_view key) {
  std::optional<Node> found = optional(key);
  if (!found) node_.fail(fmt::format("needs a member \"{}\"", key));
  return *found;
}

double ObjectReader::number(std::string_view key, double fallback, Range range) {
  const auto found = optional(key);
  return found ? found->number(range) : fallback;
}

std::int64_t ObjectReader::integer(std::string_view key, std::int64_t fallback, std::int64_t low,
                                   std::int64_t high) {
  const auto found = optional(key);
  return found ? found->integer(low, high) : fallback;
}

bool ObjectReader::boolean(std::string_view key, bool fallback) {
  const auto found = optional(key);
  return found ? found->boolean() : fallback;
}

std::string ObjectReader::string(std::string_view key, std::string fallback) {
  const auto found = optional(key);
  return found ? found->string() : std::move(fallback);
}

void ObjectReader::finish() const {
  for (const std::string& key : node_.keys()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    std::vector<std::string> names = known_;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    throw InputError(node_.file(), node_.pointer() + pointer_step(key),
                     unknown_name("key", key, names));
  }
}

Node Document::root() const {
  return Node(*value_, file_, "");
}

std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

}  // namespace tradewind::json
