#include "sim/scenario/request_files/csv_requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "sim/scenario/request_files/date.h"
#include "sim/scenario/request_files/request_rows.h"

namespace tradewind::scenario {
namespace {

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

std::optional<std::int64_t> seconds_us(std::string_view text) {
  constexpr double kMostSeconds = 1e12;
  const std::optional<double> seconds = number_of<double>(text);
  if (!seconds || !(std::abs(*seconds) < kMostSeconds)) return std::nullopt;
  return std::llround(*seconds * 1e6);
}

struct Format {
  std::string_view arrival, input, output;  ///< names of the columns
  std::optional<std::int64_t> (*arrival_us)(std::string_view);
  std::string_view time;  ///< what an arrival looks like
  bool arrival_is_optional;
};
constexpr std::array<Format, 3> kFormats = {{
    {"TIMESTAMP", "ContextTokens", "GeneratedTokens", date_us, "a time such as 2023-11-16 18:15:46",
     false},
    {"Timestamp", "Request tokens", "Response tokens", seconds_us, "seconds", false},
    {"arrival_s", "input_tokens", "output_tokens", seconds_us, "seconds", true},
}};

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

using Columns = std::vector<std::string_view>;

bool has(const Columns& columns, std::string_view name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

int known_columns(const Format& format, const Columns& columns) {
  return has(columns, format.arrival) + has(columns, format.input) + has(columns, format.output);
}

const Format& format_of(const LineReader& reader, const Columns& columns) {
  const Format& format =
      *std::max_element(kFormats.begin(), kFormats.end(), [&](const Format& a, const Format& b) {
        return known_columns(a, columns) < known_columns(b, columns);
      });
  const RowPlace place{reader.file(), reader.line()};
  if (known_columns(format, columns) == 0) {
    place.fail(
        fmt::format("no known request file: its columns are \"{}\"; known: TIMESTAMP,ContextTokens,"
                    "GeneratedTokens (Azure), Timestamp,Request tokens,Response tokens (BurstGPT), "
                    "arrival_s,input_tokens,output_tokens, and JSON lines",
                    fmt::join(columns, ",")));
  }
  for (const std::string_view name : {format.arrival, format.input, format.output}) {
    if (name == format.arrival && format.arrival_is_optional) continue;
    if (!has(columns, name)) place.fail(fmt::format("the column \"{}\" is missing", name));
  }
  return format;
}

/// The rows of one format.
class Rows {
 public:
  Rows(LineReader& reader, const Format& format, const Columns& columns)
      : reader_(reader),
        format_(format),
        width_(columns.size()),
        arrival_(place_of(columns, format.arrival)),
        input_(place_of(columns, format.input)),
        output_(place_of(columns, format.output)) {}

  RequestFile read() {
    RequestRows rows;
    std::string_view line;
    while (reader_.next(line)) {
      const RowPlace place{reader_.file(), reader_.line()};
      split(place, line);
      rows.add(place, arrival_us(place), tokens(place, input_, format_.input),
               tokens(place, output_, format_.output));
    }
    return rows.finish(reader_.file());
  }

 private:
  static std::size_t place_of(const Columns& columns, std::string_view name) {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) -
                                    columns.begin());
  }

  void split(const RowPlace& place, std::string_view line) {
    fields_ = fields_of(line);
    if (fields_.size() == width_) return;
    place.fail(fmt::format("{} of {} fields{}", fields_.size(), width_,
                           fields_.size() < width_ ? ": the row is truncated" : ""));
  }

  std::optional<std::int64_t> arrival_us(const RowPlace& place) const {
    if (arrival_ == width_) return std::nullopt;
    const std::optional<std::int64_t> time = format_.arrival_us(fields_[arrival_]);
    if (!time) {
      place.fail(fmt::format("{}: found \"{}\", expected {}", format_.arrival, fields_[arrival_],
                             format_.time));
    }
    return time;
  }

  std::int64_t tokens(const RowPlace& place, std::size_t column, std::string_view name) const {
    const std::optional<std::int64_t> number = number_of<std::int64_t>(fields_[column]);
    if (!number) {
      place.fail(
          fmt::format("{}: found \"{}\", expected a number of tokens", name, fields_[column]));
    }
    return *number;
  }

  LineReader& reader_;
  const Format& format_;
  std::size_t width_, arrival_, input_, output_;
  Columns fields_;
};

}  // namespace

RequestFile read_csv_requests(LineReader& reader, std::string_view header) {
  const std::string kept(header);
  const Columns columns = fields_of(kept);
  return Rows(reader, format_of(reader, columns), columns).read();
}

}  // namespace tradewind::scenario
