#include "validation/import/nccl_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "sim/core/error.h"

namespace tradewind::validation {
namespace {

constexpr std::string_view kNotTaken = "N/A";

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(std::move(word));
  return words;
}

/// mpirun --tag-output writes "[1,0]<stdout>:" before what a rank prints.
std::string_view without_tag(std::string_view line) {
  constexpr std::string_view kTag = "<stdout>:";
  const std::size_t at = line.find(kTag);
  return line.starts_with("[") && at != std::string_view::npos ? line.substr(at + kTag.size())
                                                               : line;
}

/// "all_gather_perf" out of "./build/all_gather_perf -b 8", the last such word; empty for none.
std::string program_in(std::string_view line) {
  constexpr std::string_view kSuffix = "_perf";
  const std::size_t suffix = line.rfind(kSuffix);
  if (suffix == std::string_view::npos) return "";
  std::size_t begin = suffix;
  while (begin > 0 && (std::islower(line[begin - 1]) != 0 || line[begin - 1] == '_')) --begin;
  return std::string(line.substr(begin, suffix + kSuffix.size() - begin));
}

/// Reads a log line by line; holds the table that is being read.
class LogReader {
 public:
  explicit LogReader(const std::string& file) : file_(file) {}

  std::vector<NcclTable> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      read_line(without_tag(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!columns_.empty())
      fail("the log ends without \"# Out of bounds values\": is it cut short?");
    if (tables_.empty()) {
      throw InputError(file_, "", "has no table of nccl-tests or rccl-tests");
    }
    return std::move(tables_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}:{}", file_, line_), "", message);
  }

  void read_line(std::string_view line) {
    std::vector<std::string> words = words_of(line);
    if (words.empty()) return;
    const bool is_comment = words.front().starts_with("#");
    if (is_comment && words.front() == "#") words.erase(words.begin());
    if (is_comment && line.find("Out of bounds values") != std::string_view::npos) {
      end_table(line);
    } else if (is_comment && words.size() > 2 && words.front() == "Rank") {
      read_rank(line, words);
    } else if (is_comment && words.size() > 2 && words.front() == "size") {
      if (!columns_.empty()) fail("a run starts before the table above has ended");
      columns_ = words;
    } else if (!is_comment && !columns_.empty() && std::isdigit(words.front().front()) != 0) {
      read_row(words);
    } else if (const std::string program = program_in(line); !program.empty()) {
      table_.program = program;
    }
  }

  void read_rank(std::string_view line, const std::vector<std::string>& words) {
    const auto on = std::find(words.begin(), words.end(), "on");
    const std::size_t bracket = line.find(']');
    if (on == words.end() || on + 1 == words.end() || bracket == std::string_view::npos) {
      fail("expected \"Rank N ... on HOST device N [BUS] NAME\"");
    }
    ++table_.ranks;
    table_.hosts.insert(*(on + 1));
    const auto name = words_of(line.substr(bracket + 1));
    table_.device_names.insert(fmt::format("{}", fmt::join(name, " ")));
  }

  double number(const std::string& word, const std::string& column) const {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !(value >= 0)) {
      fail(fmt::format("column \"{}\": found \"{}\", expected a number of at least 0", column,
                       word));
    }
    return value;
  }

  void read_row(const std::vector<std::string>& words) {
    if (words.size() != columns_.size()) {
      fail(fmt::format("the row has {} columns, the table {}", words.size(), columns_.size()));
    }
    NcclTime time;
    int side = 0;
    double algorithm_bandwidth = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string &column = columns_[i], &word = words[i];
      if (column == "type") time.type = word;
      if (column == "time") time.in_place = side++ > 0;
      if (word == kNotTaken) continue;
      if (column == "size") time.bytes = number(word, column);
      if (column == "algbw") algorithm_bandwidth = number(word, column);
      if (column == "busbw") note_ratio(number(word, column), algorithm_bandwidth);
      if (column == "#wrong" && number(word, column) > 0) {
        fail(fmt::format("{} results are wrong: this is no measurement", word));
      }
      if (column != "time") continue;
      time.time_us = number(word, column);
      if (time.bytes > 0 && time.time_us > 0) table_.times.push_back(time);
    }
  }

  /// Two decimals are printed: only bandwidths from 1 GB/s say anything.
  void note_ratio(double bus_bandwidth, double algorithm_bandwidth) {
    if (algorithm_bandwidth >= 1) table_.bus_ratio = bus_bandwidth / algorithm_bandwidth;
  }

  void end_table(std::string_view line) {
    if (line.find("FAILED") != std::string_view::npos) {
      fail("results are wrong: this is no measurement");
    }
    if (table_.ranks < 2) fail("the table stands under fewer than two \"# Rank\" lines");
    if (table_.times.empty()) fail("the table has no row with a size and a time");
    table_.line = line_;
    tables_.push_back(std::move(table_));
    table_ = {};
    columns_.clear();
  }

  const std::string& file_;
  std::vector<NcclTable> tables_;
  NcclTable table_;
  std::vector<std::string> columns_;  ///< of the table that is open
  int line_ = 0;
};

}  // namespace

std::vector<NcclTable> parse_nccl_log(std::string_view text, const std::string& file) {
  return LogReader(file).read(text);
}

}  // namespace tradewind::validation
