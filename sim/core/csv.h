#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tradewind {

/// One record of a CSV text and the line (counted from 1) on which it starts.
struct CsvRecord {
  int line = 1;
  std::vector<std::string> fields;
};

/// RFC 4180: fields are separated by commas; a quoted field may hold commas, line breaks and
/// doubled quotes. LF or CRLF; a byte order mark and empty lines are passed over.
/// Throws InputError (`file:line`) for a quote that never closes or is followed by more text.
std::vector<CsvRecord> parse_csv(std::string_view text, const std::string& file);

}  // namespace tradewind
