#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/scenario/request_files/request_file.h"

namespace tradewind::scenario {

/// Where a row stands, for messages.
struct RowPlace {
  const std::string& file;
  std::int64_t line = 0;     ///< from 1; 0: an element of a JSON array
  std::int64_t element = 0;  ///< from 0

  /// Throws InputError there.
  [[noreturn]] void fail(const std::string& message) const;
};

/// Requests of a file row by row, with the checks that all formats share.
class RequestRows {
 public:
  /// `arrival_us` on the file's own clock.
  void add(const RowPlace& place, std::optional<std::int64_t> arrival_us, std::int64_t input_tokens,
           std::int64_t output_tokens);

  RequestFile finish(const std::string& file);

 private:
  std::int64_t since_first(const RowPlace& place, std::optional<std::int64_t> arrival_us);

  RequestFile file_;
  std::int64_t first_us_ = 0;
};

}  // namespace tradewind::scenario
