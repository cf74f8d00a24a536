#include "validation/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tradewind::validation {
namespace {

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) {
      rank[order[i]] = static_cast<double>(first + last) / 2;
    }
    first = last + 1;
  }
  return rank;
}

}  // namespace

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double share = position - static_cast<double>(below);
  return values[below] + share * (values[above] - values[below]);
}

std::optional<double> spearman(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  if (x.size() < 2) return std::nullopt;
  const double centre = mean(x);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - centre) * (x[i] - centre);
    yy += (y[i] - centre) * (y[i] - centre);
    xy += (x[i] - centre) * (y[i] - centre);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace tradewind::validation
