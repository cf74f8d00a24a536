#include "sim/workload/serving/token_gaps.h"

#include <algorithm>
#include <cmath>

namespace tradewind::workload {

double TokenGaps::at_ms(std::int64_t position) const {
  std::size_t bin = 0;
  while (position >= counts_[bin]) position -= counts_[bin++];
  constexpr std::size_t kBinsOfOctave = std::size_t{1} << kMantissaBits;
  const auto octave = static_cast<int>(bin / kBinsOfOctave);
  const double within = (static_cast<double>(bin % kBinsOfOctave) + 0.5) / kBinsOfOctave;
  constexpr double kMillisecondsOfPicosecond = 1e-9;
  return std::ldexp(1 + within, octave) * kMillisecondsOfPicosecond;
}

double TokenGaps::percentile_ms(double share) const {
  const double rank = share * static_cast<double>(total_ - 1);
  const auto below = static_cast<std::int64_t>(rank);
  const double low = at_ms(below);
  const double high = at_ms(std::min(below + 1, total_ - 1));
  return low + (rank - static_cast<double>(below)) * (high - low);
}

}  // namespace tradewind::workload
