#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace tradewind::scenario {

/// A text file line by line, without keeping it: LF or CRLF; a byte order mark and empty lines are
/// passed over.
class LineReader {
 public:
  /// Throws InputError when the file can't be read.
  explicit LineReader(const std::filesystem::path& path);

  /// False at the end of the file. The line stays valid until the next call.
  bool next(std::string_view& line);

  const std::string& file() const { return file_; }
  std::int64_t line() const { return line_; }  ///< of the last one, from 1

 private:
  std::string file_;
  std::ifstream stream_;
  std::string text_;
  std::int64_t line_ = 0;
};

}  // namespace tradewind::scenario
