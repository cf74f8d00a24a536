#include "sim/workload/serving/request_draws.h"

#include <cmath>
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

}  // namespace tradewind::workload
