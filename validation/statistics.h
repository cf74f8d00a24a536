#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tradewind::validation {

double mean(std::span<const double> values);
/// The value below which the share `q` (0 to 1) lies, linear between the two nearest of the sorted
/// values at position q (n - 1): NumPy's default, type 7 of Hyndman and Fan (1996). Not for none.
double quantile(std::vector<double> values, double q);
inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}
/// Spearman's rank correlation: Pearson's of the ranks, equal values sharing their mean rank.
/// Nothing for fewer than two pairs or when one side is constant. Same length on both sides.
std::optional<double> spearman(std::span<const double> a, std::span<const double> b);

}  // namespace tradewind::validation
