#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tradewind::report {

/// "1,234,567".
std::string grouped(std::int64_t number);

/// Four significant digits for people: "12,346", "301.2", "12.35", "0.01235".
std::string short_number(double number);
/// The same, or "-".
std::string short_number(const std::optional<double>& number);

/// A share of one as "23.4 %".
std::string percent(double share);

/// Decimal gigabytes, as datasheets count: "35.30 GB".
std::string gigabytes(double bytes);

/// A share of one as a bar of at most `width` columns, in eighths of a column; no trailing blanks.
std::string bar(double share, int width);

/// Columns that a UTF-8 text takes, one a character (the report writes no wide or joined ones).
std::size_t column_count(std::string_view text);

/// Text made exactly `width` columns wide: cut with "...", else filled with blanks.
std::string left_aligned(std::string_view text, std::size_t width);
std::string right_aligned(std::string_view text, std::size_t width);

}  // namespace tradewind::report
