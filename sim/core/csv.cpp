#include "sim/core/csv.h"

#include <fmt/format.h>

#include "sim/core/error.h"

namespace tradewind {
namespace {

class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& file) : text_(text), file_(file) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

  std::vector<CsvRecord> records() {
    std::vector<CsvRecord> all;
    while (at_ < text_.size()) {
      CsvRecord one = record();
      const bool empty_line = one.fields.size() == 1 && one.fields[0].empty();
      if (!empty_line) all.push_back(std::move(one));
    }
    return all;
  }

 private:
  CsvRecord record() {
    CsvRecord one{line_, {}};
    do {
      one.fields.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted() : plain());
    } while (take(','));
    take('\r');
    if (take('\n')) ++line_;
    return one;
  }

  std::string plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string field(text_.substr(at_, end - at_));
    at_ = end;
    return field;
  }

  std::string quoted() {
    const int opened = line_;
    std::string field;
    ++at_;
    while (true) {
      if (at_ >= text_.size()) {
        throw InputError(fmt::format("{}:{}", file_, opened), "", "a quoted field never ends");
      }
      const char c = text_[at_++];
      if (c == '"' && !take('"')) break;
      if (c == '\n') ++line_;
      field += c;
    }
    if (at_ < text_.size() &&
        std::string_view(",\r\n").find(text_[at_]) == std::string_view::npos) {
      throw InputError(fmt::format("{}:{}", file_, line_), "", "text follows a closing quote");
    }
    return field;
  }

  bool take(char wanted) {
    const bool found = at_ < text_.size() && text_[at_] == wanted;
    if (found) ++at_;
    return found;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<CsvRecord> parse_csv(std::string_view text, const std::string& file) {
  return CsvParser(text, file).records();
}

}  // namespace tradewind
