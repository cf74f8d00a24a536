#include "sim/scenario/request_files/json_requests.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/scenario/request_files/prefix_groups.h"
#include "sim/scenario/request_files/request_rows.h"

namespace tradewind::scenario {
namespace {

constexpr double kMostUs = 1e18;

/// What one object says, as numbers: only the members that count are kept.
struct Row {
  std::optional<double> arrival_us, input, output;
  std::vector<std::int64_t> hashes;
  bool has_texts = false;  ///< ShareGPT as published: conversations, not lengths
};

/// Reads objects as they pass by, without keeping a document. `done` gets each one that closes;
/// `wrong` gets what is no JSON.
class RowHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  RowHandler(std::function<void(const Row&)> done, std::function<void(const std::string&)> wrong)
      : done_(std::move(done)), wrong_(std::move(wrong)) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value), static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return number(value, -1); }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    if (objects_++ == 0) row_ = {};
    return true;
  }
  bool key(string_t& name) override {
    if (objects_ != 1) return true;
    key_ = name;
    row_.has_texts = row_.has_texts || name == "conversations";
    return true;
  }
  bool end_object() override {
    if (--objects_ == 0) done_(row_);
    return true;
  }
  bool start_array(std::size_t) override {
    if (objects_ > 0) ++arrays_;
    return true;
  }
  bool end_array() override {
    if (objects_ > 0) --arrays_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    wrong_(fmt::format("no JSON at character {}: truncated?", position));
    return false;
  }

 private:
  bool number(double value, std::int64_t whole) {
    if (objects_ != 1) return true;
    if (arrays_ == 1 && key_ == "hash_ids") row_.hashes.push_back(whole);
    if (arrays_ > 0) return true;
    if (key_ == "timestamp") row_.arrival_us = value * 1e3;
    if (key_ == "arrival_s") row_.arrival_us = value * 1e6;
    if (key_ == "input_length" || key_ == "input_tokens" || key_ == "prompt_len")
      row_.input = value;
    if (key_ == "output_length" || key_ == "output_tokens" || key_ == "output_len") {
      row_.output = value;
    }
    return true;
  }

  std::function<void(const Row&)> done_;
  std::function<void(const std::string&)> wrong_;
  Row row_;
  std::string key_;
  int objects_ = 0;  ///< that the parser is inside of
  int arrays_ = 0;   ///< that it is inside of, within the outermost object
};

std::int64_t whole(const RowPlace& place, const std::optional<double>& number,
                   std::string_view names) {
  if (!number) place.fail(fmt::format("the member {} is missing", names));
  if (std::floor(*number) != *number || std::abs(*number) > kMostUs) {
    place.fail(fmt::format("{} is {}, expected a number of tokens", names, *number));
  }
  return static_cast<std::int64_t>(*number);
}

/// Rows to requests.
class Collector {
 public:
  void add(const RowPlace& place, const Row& row) {
    if (row.has_texts) {
      place.fail(
          "has conversations, not lengths: count their tokens into input_tokens and "
          "output_tokens first");
    }
    std::optional<std::int64_t> arrival_us;
    if (row.arrival_us) {
      if (!(std::abs(*row.arrival_us) < kMostUs)) place.fail("the time of arrival is absurd");
      arrival_us = std::llround(*row.arrival_us);
    }
    const std::int64_t input = whole(place, row.input, "input_length (input_tokens, prompt_len)");
    rows_.add(place, arrival_us, input,
              whole(place, row.output, "output_length (output_tokens, output_len)"));
    groups_.add(row.hashes, input);
  }

  RequestFile finish(const std::string& file) {
    RequestFile read = rows_.finish(file);
    groups_.assign(read.requests);
    return read;
  }

 private:
  RequestRows rows_;
  PrefixGroups groups_;
};

}  // namespace

RequestFile read_json_lines(LineReader& reader, std::string_view first) {
  Collector requests;
  const auto place = [&] { return RowPlace{reader.file(), reader.line()}; };
  RowHandler handler([&](const Row& row) { requests.add(place(), row); },
                     [&](const std::string& what) { place().fail(what); });
  std::string_view line = first;
  do {
    if (!line.starts_with('{')) place().fail("expected one JSON object a line");
    nlohmann::json::sax_parse(line, &handler);
  } while (reader.next(line));
  return requests.finish(reader.file());
}

RequestFile read_json_array(const std::filesystem::path& path) {
  Collector requests;
  const std::string file = path.string();
  std::int64_t element = 0;
  RowHandler handler(
      [&](const Row& row) {
        requests.add(RowPlace{file, 0, element++}, row);
      },
      [&](const std::string& what) { throw InputError(file, "", what); });
  std::ifstream stream(path, std::ios::binary);
  nlohmann::json::sax_parse(stream, &handler);
  return requests.finish(file);
}

}  // namespace tradewind::scenario
