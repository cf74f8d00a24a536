#pragma once

#include <cstdint>
#include <random>

namespace tradewind::workload {

/// Random numbers of one stream of a seed. The standard fixes mt19937_64 to the bit, but not its
/// distributions: the transforms below do.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t stream);

  /// Uniform between 0 and 1, neither included: the middle of one of 2^53 equal steps.
  double uniform();
  /// Of mean 1: the inverse of its distribution function.
  double exponential();
  /// Of mean 0 and deviation 1 (G. E. P. Box, M. E. Muller, Ann. Math. Stat. 29, 1958).
  double normal();
  /// Of mean `shape` and scale 1 (G. Marsaglia, W. W. Tsang, ACM TOMS 26, 2000; below 1 by their
  /// power of one more uniform number).
  double gamma(double shape);

 private:
  std::mt19937_64 generator_;
};

}  // namespace tradewind::workload
