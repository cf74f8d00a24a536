#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tradewind::json {

/// Inclusive bounds of a number, for the check and for the message.
struct Range {
  double low;
  double high;
};
inline constexpr Range kAnyNumber{-1e300, 1e300};
inline constexpr Range kPositive{1e-300, 1e300};
inline constexpr Range kNotNegative{0, 1e300};

/// A value inside a JSON document that knows where it stands (file and JSON pointer), so that every
/// complaint can say so. Cheap to copy; must not outlive its Document. Every accessor throws
/// InputError when the value is not of the wanted kind or out of range.
class Node {
 public:
  Node(const nlohmann::json& value, std::string file, std::string pointer)
      : value_(&value), file_(std::move(file)), pointer_(std::move(pointer)) {}

  const nlohmann::json& value() const { return *value_; }
  const std::string& file() const { return file_; }
  const std::string& pointer() const { return pointer_; }

  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  bool is_number() const;
  bool is_boolean() const;

  double number(Range range = kAnyNumber) const;
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  bool boolean() const;
  std::string string() const;
  /// A string that must be one of `names`; the error gives the nearest.
  std::string name(std::string_view what, std::span<const std::string> names) const;
  std::vector<Node> elements() const;
  /// Member names in document order.
  std::vector<std::string> keys() const;
  /// The member, or nothing when absent (a null member counts as absent).
  std::optional<Node> find(std::string_view key) const;

  /// Throws InputError here: "found ..., expected <expected>".
  [[noreturn]] void expected(std::string_view expected) const;
  /// Throws InputError here with that message.
  [[noreturn]] void fail(std::string message) const;

 private:
  const nlohmann::json* value_;
  std::string file_;
  std::string pointer_;
};

/// Reads an object member by member and, at `finish()`, refuses members nobody asked for.
class ObjectReader {
 public:
  explicit ObjectReader(Node node);

  const Node& node() const { return node_; }
  std::optional<Node> optional(std::string_view key);
  Node required(std::string_view key);

  double number(std::string_view key, double fallback, Range range = kAnyNumber);
  std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t low,
                       std::int64_t high);
  bool boolean(std::string_view key, bool fallback);
  std::string string(std::string_view key, std::string fallback);

  /// Accepts a member without reading it (notes, comments, fields of other tools).
  void ignore(std::string_view key) { known_.emplace_back(key); }
  /// Throws InputError naming the first unknown member and the nearest known one.
  void finish() const;

 private:
  Node node_;
  std::vector<std::string> known_;
};

/// A parsed JSON text and the name it is called by in messages.
class Document {
 public:
  /// Throws InputError with line and column when the text is not JSON (also for NaN, Infinity,
  /// duplicate members, and nesting beyond 200 levels).
  static Document parse(std::string_view text, std::string file);
  static Document load(const std::string& path);
  static Document from_value(nlohmann::json value, std::string file);

  Node root() const;
  const nlohmann::json& value() const { return *value_; }

 private:
  std::shared_ptr<const nlohmann::json> value_;
  std::string file_;
};

/// One key as a JSON pointer step ("/" and "~" escaped, RFC 6901).
std::string pointer_step(std::string_view key);

}  // namespace tradewind::json
