#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tradewind::validation {

/// One time of a table: a size, out of place or in place.
struct NcclTime {
  std::string type;  ///< as printed: float, bfloat16 ...
  double bytes = 0;
  double time_us = 0;
  bool in_place = false;
};

/// What one run of a program of nccl-tests or rccl-tests printed.
struct NcclTable {
  std::string program;  ///< all_reduce_perf ..., where the text before the table names it
  int ranks = 0;
  std::set<std::string> hosts;
  std::set<std::string> device_names;  ///< as the driver calls them
  std::vector<NcclTime> times;         ///< rows of 0 bytes and "N/A" left out
  double bus_ratio = 0;                ///< busbw / algbw of the largest row
  int line = 0;                        ///< on which the table ends
};

/// The tables of a log in order. Throws InputError (`file:line`) for a row that does not fit its
/// header, wrong results, a table that is cut short or without rows, no table at all.
std::vector<NcclTable> parse_nccl_log(std::string_view text, const std::string& file);

}  // namespace tradewind::validation
