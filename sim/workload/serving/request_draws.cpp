#include "sim/workload/serving/request_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tradewind::workload {
namespace {

/// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014): neighbouring seeds and streams
/// become unlike ones.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

double lognormal(const scenario::Length& length, double normal) {
  const double relative = length.standard_deviation / length.mean;
  const double variance = std::log1p(relative * relative);
  return length.mean * std::exp(std::sqrt(variance) * normal - variance / 2);
}

}  // namespace

Draws::Draws(std::uint64_t seed, std::uint64_t stream) : generator_(mixed(mixed(seed) + stream)) {}

double Draws::uniform() {
  constexpr double kStep = 0x1p-53;
  return (static_cast<double>(generator_() >> 11) + 0.5) * kStep;
}

double Draws::exponential() {
  return -std::log(uniform());
}

double Draws::normal() {
  const double radius = std::sqrt(2 * exponential());
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Draws::gamma(double shape) {
  if (shape < 1) {
    const double above = gamma(shape + 1);
    return above * std::pow(uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    const double u = uniform();
    if (v > 0 && std::log(u) < x * x / 2 + d * (1 - v + std::log(v))) return d * v;
  }
}

std::int32_t Draws::length(const scenario::Length& length) {
  using Kind = scenario::Length::Kind;
  double tokens = length.mean;
  switch (length.kind) {
    case Kind::fixed:
      break;
    case Kind::uniform:
      tokens = length.minimum + std::floor(uniform() * (*length.maximum - length.minimum + 1));
      break;
    case Kind::normal:
      tokens += length.standard_deviation * normal();
      break;
    case Kind::lognormal:
      tokens = lognormal(length, normal());
      break;
    case Kind::exponential:
      tokens *= exponential();
      break;
  }
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  const double most = std::min(length.maximum.value_or(kMost), kMost);
  return static_cast<std::int32_t>(
      std::clamp(std::round(tokens), std::max(1.0, length.minimum), most));
}

}  // namespace tradewind::workload
