#include "validation/box_quadratic.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

namespace tradewind::validation {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;

class BoxQuadratic {
 public:
  BoxQuadratic(const Eigen::Map<const Matrix>& hessian, const Eigen::Map<const Vector>& gradient,
               const Eigen::Map<const Vector>& lower, const Eigen::Map<const Vector>& upper)
      : hessian_(hessian), gradient_(gradient), lower_(lower), upper_(upper) {
    x_ = Vector::Zero(gradient.size()).cwiseMax(lower).cwiseMin(upper);
    for (Index j = 0; j < x_.size(); ++j) {
      is_held_.push_back(x_[j] <= lower[j] || x_[j] >= upper[j]);
    }
  }

  const Vector& minimum() {
    // Each round ends at a minimum lower than the last, of which there are finitely many; the bound
    // on their number is for steps within rounding errors.
    const Index most_rounds = 20 * x_.size() + 20;
    for (Index round = 0; round < most_rounds; ++round) {
      while (!reach_minimum_of_free()) {
      }
      if (!let_go()) break;
    }
    return x_;
  }

 private:
  /// True when no bound was in the way.
  bool reach_minimum_of_free() {
    const Vector step = step_of_free();
    double share = 1;
    Index met = -1;
    for (Index j = 0; j < x_.size(); ++j) {
      if (step[j] == 0) continue;
      const double bound = step[j] > 0 ? upper_[j] : lower_[j];
      const double until = std::max(0.0, (bound - x_[j]) / step[j]);
      if (until < share) share = until, met = j;
    }
    x_ += share * step;
    if (met < 0) return true;
    x_[met] = step[met] > 0 ? upper_[met] : lower_[met];
    is_held_[static_cast<std::size_t>(met)] = true;
    return false;
  }

  Vector step_of_free() const {
    std::vector<Index> free;
    for (Index j = 0; j < x_.size(); ++j) {
      if (!is_held_[static_cast<std::size_t>(j)]) free.push_back(j);
    }
    const auto unknowns = static_cast<Index>(free.size());
    const Vector slope = hessian_ * x_ + gradient_;
    Matrix hessian(unknowns, unknowns);
    Vector downhill(unknowns);
    for (Index i = 0; i < unknowns; ++i) {
      const Index row = free[static_cast<std::size_t>(i)];
      downhill[i] = -slope[row];
      for (Index j = 0; j < unknowns; ++j) {
        hessian(i, j) = hessian_(row, free[static_cast<std::size_t>(j)]);
      }
    }
    const Vector of_free = hessian.ldlt().solve(downhill);
    Vector step = Vector::Zero(x_.size());
    for (Index i = 0; i < unknowns; ++i) step[free[static_cast<std::size_t>(i)]] = of_free[i];
    return step;
  }

  /// Frees the coordinate that falls most steeply into the box; false where none does.
  bool let_go() {
    constexpr double kSteep = 1e-12;
    const Vector slope = hessian_ * x_ + gradient_;
    double steepest = kSteep * (1 + gradient_.cwiseAbs().maxCoeff());
    Index found = -1;
    for (Index j = 0; j < x_.size(); ++j) {
      if (!is_held_[static_cast<std::size_t>(j)] || lower_[j] == upper_[j]) continue;
      const double inwards = x_[j] <= lower_[j] ? -slope[j] : slope[j];
      if (inwards > steepest) steepest = inwards, found = j;
    }
    if (found >= 0) is_held_[static_cast<std::size_t>(found)] = false;
    return found >= 0;
  }

  Eigen::Map<const Matrix> hessian_;
  Eigen::Map<const Vector> gradient_, lower_, upper_;
  Vector x_;
  std::vector<bool> is_held_;
};

}  // namespace

std::vector<double> minimise_in_box(std::span<const double> hessian,
                                    std::span<const double> gradient, std::span<const double> lower,
                                    std::span<const double> upper) {
  const auto unknowns = static_cast<Index>(gradient.size());
  BoxQuadratic problem({hessian.data(), unknowns, unknowns}, {gradient.data(), unknowns},
                       {lower.data(), unknowns}, {upper.data(), unknowns});
  const Vector& x = problem.minimum();
  return {x.begin(), x.end()};
}

}  // namespace tradewind::validation
