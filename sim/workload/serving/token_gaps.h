#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/core/time.h"

namespace tradewind::workload {

/// Times between two tokens of a sequence, of all sequences together: counts in bins whose width is
/// 2^-10 of the value (as HdrHistogram has them), so that a day's traffic takes no more room than a
/// minute's. What is read back is the middle of a bin: within 0.05 %.
class TokenGaps {
 public:
  void add(Time gap) {
    ++counts_[bin_of(gap)];
    ++total_;
  }
  bool empty() const { return total_ == 0; }
  /// Linear between ranks, as numpy's default. REQUIRES: not empty.
  double percentile_ms(double share) const;

 private:
  static constexpr int kMantissaBits = 10;
  static std::size_t bin_of(Time gap) {
    constexpr int kDoubleMantissaBits = 52;
    constexpr std::uint64_t kOne = std::uint64_t{1023} << kMantissaBits;  // of 1 ps
    if (gap.ps < 1) return 0;
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(gap.ps));
    return static_cast<std::size_t>((bits >> (kDoubleMantissaBits - kMantissaBits)) - kOne);
  }
  /// Of the value at a position in order of size.
  double at_ms(std::int64_t position) const;

  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(std::size_t{64} << kMantissaBits);
  std::int64_t total_ = 0;
};

}  // namespace tradewind::workload
