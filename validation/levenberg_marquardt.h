#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// Robust least squares within bounds:
///
///   minimise  sum_i w_i * 2 s^2 (sqrt(1 + (r_i(p) / s)^2) - 1)  +  sum_j (c (z_j - z0_j))^2
///   over      lower_j <= p_j <= upper_j
///
/// r_i  residual, dimensionless (for times: log(predicted / measured))
/// w_i  weight;  s  residual beyond which the loss grows like |r| instead of r^2 (soft L1)
/// z_j  p_j in free coordinates: logistic between the bounds, in the logarithm where the range is
///      positive and spans more than a factor kWideRange
/// z0_j the value known before; c is so small that it decides only what the data leave open
///
/// Solved by Eigen's Levenberg-Marquardt (MINPACK's lmder; Moré, 1978) with forward differences
/// from several starts, then by a coordinate pattern search (Hooke and Jeeves, 1961): the models
/// are continuous but only piecewise smooth (tile waves, least of several algorithms), where
/// derivatives alone stall. Deterministic: same problem, same bits. Thousands of evaluations: where
/// one is a simulation, secant_fit.h.
namespace tradewind::validation {

inline constexpr double kWideRange = 100;

/// One unknown, known before as `initial` within the bounds; fixed where both bounds are equal.
struct FitParameter {
  double lower, upper, initial;
};

/// Fills one residual per observation for these parameter values. Must be safe to call again and
/// give finite residuals anywhere within the bounds.
using Residuals = std::function<void(std::span<const double> values, std::span<double> residuals)>;

struct FitProblem {
  std::vector<FitParameter> parameters;
  std::vector<double> weights;  ///< w_i, one per residual
  Residuals residuals;
};

struct FitOptions {
  double robust_scale = 0.05;     ///< s
  double prior = 0.01;            ///< c
  double difference_step = 1e-3;  ///< in z: wide enough to step over the edge of a tile
  int random_starts = 0;          ///< besides the given ones, drawn around the initial values
  std::uint64_t seed = 1;
};

struct FitResult {
  std::vector<double> values;
  double cost = 0;      ///< the minimised sum
  int evaluations = 0;  ///< of the residuals, all starts and differences together
};

/// The best of the given starts (the initial values where there are none) and the random ones.
FitResult fit(const FitProblem& problem, std::span<const std::vector<double>> starts,
              const FitOptions& options);

}  // namespace tradewind::validation
