#pragma once

#include <span>
#include <vector>

#include "validation/levenberg_marquardt.h"

/// Robust least squares within bounds, for residuals that cost much to evaluate and are nearly
/// linear in the parameters:
///
///   minimise  F(p) = sum_i w_i 2 s^2 (sqrt(1 + (r_i(p) / s)^2) - 1) + sum_j (c (p_j - p0_j))^2
///   over      lower_j <= p_j <= upper_j
///
/// with the symbols of levenberg_marquardt.h, but p_j as they are: the caller scales them so that 1
/// is a large change of each.
///
/// F of the linear model r(p) + J dp is minimised within the bounds and within |dp_j| <= radius
/// (majorised by weighted least squares: P. Huber, Robust Statistics, 1981, section 7.8). J comes
/// from forward differences once, one evaluation a parameter; each later evaluation corrects it by
/// the least change that explains it,
///
///   J += (dr - J dp) dp' / (dp' dp)          C. G. Broyden, Math. Comp. 19 (1965) 577
///
/// and differences are taken again only at another place, where two steps in a row gain less than a
/// tenth of what the model promised. Then, one by one, parameters go back to what was known where
/// the others make up for it (worth_keeping): the model says which costs least and what the others
/// become, one evaluation confirms it. Deterministic.
namespace tradewind::validation {

struct SecantOptions {
  double robust_scale = 0.05;     ///< s
  double prior = 0.02;            ///< c
  double difference_step = 0.02;  ///< of p: above the grain of a simulation
  double tolerance = 0.005;       ///< relative gain below which no step is tried
  int max_evaluations = 50;       ///< no step after that many; parameters may still go back
  /// A parameter returns to its initial value where F grows by at most this share.
  double worth_keeping = 0.01;
};

struct SecantFitResult {
  std::vector<double> values;
  std::vector<bool> is_kept;  ///< false: at its initial value
  double cost = 0;            ///< F
  int evaluations = 0;        ///< of the residuals, differences included
};

/// From the best of the given starts, at least one, each clamped to the bounds.
SecantFitResult secant_fit(const FitProblem& problem, std::span<const std::vector<double>> starts,
                           const SecantOptions& options);

}  // namespace tradewind::validation
