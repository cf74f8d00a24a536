#include "sim/scenario/request_files/line_reader.h"

#include "sim/core/error.h"

namespace tradewind::scenario {

LineReader::LineReader(const std::filesystem::path& path) : file_(path.string()) {
  if (std::filesystem::is_directory(path)) throw InputError(file_, "", "is a folder, not a file");
  stream_.open(path, std::ios::binary);
  if (!stream_) throw InputError(file_, "", "can't be read");
}

bool LineReader::next(std::string_view& line) {
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  while (std::getline(stream_, text_)) {
    ++line_;
    line = text_;
    if (line_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) return true;
  }
  return false;
}

}  // namespace tradewind::scenario
