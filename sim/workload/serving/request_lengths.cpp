#include "sim/workload/serving/request_lengths.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace tradewind::workload {
namespace {

using scenario::Length;

/// The standard normal's quantile.
double normal_quantile(double share) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * share);
}

double lognormal(const Length& length, double normal) {
  const double relative = length.standard_deviation / length.mean;
  const double variance = std::log1p(relative * relative);
  return length.mean * std::exp(std::sqrt(variance) * normal - variance / 2);
}

/// The length below which a `share` of the distribution lies, 0 < share < 1, before its bounds.
double quantile(const Length& length, double share) {
  switch (length.kind) {
    case Length::Kind::fixed:
      return length.mean;
    case Length::Kind::uniform:
      return length.minimum + std::floor(share * (*length.maximum - length.minimum + 1));
    case Length::Kind::normal:
      return length.mean + length.standard_deviation * normal_quantile(share);
    case Length::Kind::lognormal:
      return lognormal(length, normal_quantile(share));
    case Length::Kind::exponential:
      return -length.mean * std::log1p(-share);
  }
  return length.mean;
}

std::int32_t whole_tokens(const Length& length, double tokens) {
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  const double most = std::min(length.maximum.value_or(kMost), kMost);
  return static_cast<std::int32_t>(
      std::clamp(std::round(tokens), std::max(1.0, length.minimum), most));
}

/// 0 to count - 1 in random order (R. Durstenfeld, CACM 7, 1964).
std::vector<std::size_t> shuffled(std::size_t count, Draws& draws) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) {
    const auto other = static_cast<std::size_t>(draws.uniform() * static_cast<double>(i));
    std::swap(order[i - 1], order[std::min(other, i - 1)]);
  }
  return order;
}

}  // namespace

std::vector<std::int32_t> draw_lengths(const Length& length, std::size_t count, Draws& draws) {
  std::vector<std::int32_t> lengths;
  lengths.reserve(count);
  for (const std::size_t place : shuffled(count, draws)) {
    const double share = (static_cast<double>(place) + 0.56) / (static_cast<double>(count) + 0.12);
    lengths.push_back(whole_tokens(length, quantile(length, share)));
  }
  return lengths;
}

}  // namespace tradewind::workload
