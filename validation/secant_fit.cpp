#include "validation/secant_fit.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/box_quadratic.h"

namespace tradewind::validation {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;

std::span<const double> as_span(const Vector& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

/// Of the parameters.
struct Bounds {
  Vector lower, upper;

  Vector clamp(const Vector& p) const { return p.cwiseMax(lower).cwiseMin(upper); }
  void hold(std::size_t parameter, const Vector& at) {
    const auto j = static_cast<Index>(parameter);
    lower[j] = upper[j] = at[j];
  }
};

/// Residuals of one place, and F there.
struct Place {
  Vector p, residuals;
  double cost = std::numeric_limits<double>::infinity();
};

/// F of the problem.
class RobustSum {
 public:
  RobustSum(const FitProblem& problem, const SecantOptions& options)
      : problem_(problem), options_(options) {
    weights_ = Eigen::Map<const Vector>(problem.weights.data(),
                                        static_cast<Index>(problem.weights.size()));
    const auto unknowns = static_cast<Index>(problem.parameters.size());
    bounds.lower = bounds.upper = initial = Vector(unknowns);
    for (Index j = 0; j < unknowns; ++j) {
      const FitParameter& one = problem.parameters[static_cast<std::size_t>(j)];
      bounds.lower[j] = one.lower, bounds.upper[j] = one.upper, initial[j] = one.initial;
    }
  }

  Place evaluate(Vector p) {
    ++evaluations;
    Place place{std::move(p), Vector(weights_.size())};
    problem_.residuals(as_span(place.p), {place.residuals.data(), problem_.weights.size()});
    place.cost = of(place.p, place.residuals);
    return place;
  }

  double of(const Vector& p, const Vector& residuals) const {
    const double s = options_.robust_scale;
    const auto losses = 2 * s * s * ((1 + (residuals / s).array().square()).sqrt() - 1);
    return (weights_.array() * losses).sum() +
           options_.prior * options_.prior * (p - initial).squaredNorm();
  }

  /// Weights of the squares that touch the losses at these residuals and are nowhere below them.
  Vector majorising(const Vector& residuals) const {
    return weights_.array() / (1 + (residuals / options_.robust_scale).array().square()).sqrt();
  }

  Bounds bounds;
  Vector initial;
  int evaluations = 0;

 private:
  const FitProblem& problem_;
  const SecantOptions& options_;
  Vector weights_;
};

class SecantFit {
 public:
  SecantFit(const FitProblem& problem, const SecantOptions& options)
      : sum_(problem, options), options_(options) {}

  void start(std::span<const std::vector<double>> starts) {
    for (const std::vector<double>& start : starts) {
      const Vector p = Eigen::Map<const Vector>(start.data(), sum_.initial.size());
      Place place = sum_.evaluate(sum_.bounds.clamp(p));
      if (place.cost < best_.cost) best_ = std::move(place);
    }
    take_differences();
  }

  void descend() {
    double radius = kFirstRadius;
    int failures = 0;  // in a row
    while (sum_.evaluations < options_.max_evaluations) {
      const Place promised = minimum_of_model(sum_.bounds, radius);
      const double promise = best_.cost - promised.cost;
      if (promise <= options_.tolerance * best_.cost) return;
      const double reach = (promised.p - best_.p).cwiseAbs().maxCoeff();
      Place found = visit(promised.p);
      const double kept = (best_.cost - found.cost) / promise;
      if (kept > 0) best_ = std::move(found), has_moved_ = true;
      failures = kept < kStall ? failures + 1 : 0;
      if (failures == kStalled && has_moved_) {
        take_differences();
      } else if (kept < kPoor) {
        if (reach < options_.difference_step) return;  // within the grain of the residuals
        radius = reach / 2;
      } else if (kept > kGood) {
        radius = std::max(radius, 2 * reach);
      }
    }
  }

  void drop_what_is_not_worth_keeping() {
    trials_.assign(static_cast<std::size_t>(sum_.initial.size()), kTrials);
    std::size_t at_once = trials_.size();
    while (true) {
      const double most = best_.cost * (1 + options_.worth_keeping);
      const Without without = model_without(at_once, most);
      if (without.dropped.empty()) return;
      if (without.promised.p != best_.p) {
        Place found = visit(without.promised.p);
        if (!(found.cost <= most)) {
          if (without.dropped.size() == 1) --trials_[without.dropped.front()];
          at_once = std::max<std::size_t>(1, without.dropped.size() / 2);
          continue;
        }
        best_ = std::move(found);
      }
      for (const std::size_t j : without.dropped) sum_.bounds.hold(j, sum_.initial), trials_[j] = 0;
    }
  }

  SecantFitResult result() const {
    SecantFitResult result;
    result.values.assign(best_.p.begin(), best_.p.end());
    for (Index j = 0; j < best_.p.size(); ++j) {
      result.is_kept.push_back(best_.p[j] != sum_.initial[j]);
    }
    result.cost = best_.cost;
    result.evaluations = sum_.evaluations;
    return result;
  }

 private:
  static constexpr double kFirstRadius = 1;
  /// Shares of a promised gain: below the first a step fails; below the second the radius shrinks,
  /// above the third it grows.
  static constexpr double kStall = 0.1, kPoor = 0.25, kGood = 0.75;
  /// Failures in a row after which differences are taken again: the first corrects the model.
  static constexpr int kStalled = 2;
  /// What the model promised without a parameter may fail once: the failure corrects the model.
  static constexpr int kTrials = 2;

  void take_differences() {
    jacobian_.resize(best_.residuals.size(), best_.p.size());
    Vector moved = best_.p;
    for (Index j = 0; j < moved.size(); ++j) {
      const bool has_room = best_.p[j] + options_.difference_step <= sum_.bounds.upper[j];
      const double step = has_room ? options_.difference_step : -options_.difference_step;
      if (sum_.bounds.lower[j] == sum_.bounds.upper[j]) {
        jacobian_.col(j).setZero();
        continue;
      }
      moved[j] = best_.p[j] + step;
      jacobian_.col(j) = (sum_.evaluate(moved).residuals - best_.residuals) / step;
      moved[j] = best_.p[j];
    }
    has_moved_ = false;
  }

  /// The residuals there, which correct the Jacobian.
  Place visit(const Vector& p) {
    Place place = sum_.evaluate(p);
    const Vector step = place.p - best_.p;
    const Vector unexplained = place.residuals - best_.residuals - jacobian_ * step;
    jacobian_ += unexplained * step.transpose() / step.squaredNorm();
    return place;
  }

  /// Where F of the linear model is least between the bounds and within the radius of the best.
  Place minimum_of_model(const Bounds& bounds, double radius) const {
    constexpr int kMostRounds = 200;
    constexpr double kStill = 1e-7;
    const Index unknowns = best_.p.size();
    // Within the bounds first: what is held may be farther than the radius.
    const Vector down = bounds.lower - best_.p, up = bounds.upper - best_.p;
    const Vector low = down.cwiseMax(-radius).cwiseMin(up),
                 high = up.cwiseMin(radius).cwiseMax(down);
    const double ridge = std::max(options_.prior * options_.prior, kTiny);
    Vector step = Vector::Zero(unknowns).cwiseMax(low).cwiseMin(high);
    for (int round = 0; round < kMostRounds; ++round) {
      const Vector weights = sum_.majorising(best_.residuals + jacobian_ * step);
      const Matrix weighted = weights.asDiagonal() * jacobian_;
      Matrix hessian = jacobian_.transpose() * weighted;
      hessian.diagonal().array() += ridge;
      const Vector gradient =
          weighted.transpose() * best_.residuals + ridge * (best_.p - sum_.initial);
      const auto next = minimise_in_box({hessian.data(), static_cast<std::size_t>(hessian.size())},
                                        as_span(gradient), as_span(low), as_span(high));
      const Vector moved = Eigen::Map<const Vector>(next.data(), unknowns);
      const double change = (moved - step).cwiseAbs().maxCoeff();
      step = moved;
      if (change < kStill) break;
    }
    // Clamped: best_.p + (bound - best_.p) may miss the bound by a rounding error.
    Place place{bounds.clamp(best_.p + step), best_.residuals + jacobian_ * step};
    place.cost = sum_.of(place.p, place.residuals);
    return place;
  }

  /// Parameters at their initial values, however far those are, and the others there.
  struct Without {
    std::vector<std::size_t> dropped;
    Place promised;
  };

  /// Up to `at_once` of those that may still be tried, the cheapest first, as long as the model
  /// promises at most `most`.
  Without model_without(std::size_t at_once, double most) const {
    Without without;
    Bounds bounds = sum_.bounds;
    while (without.dropped.size() < at_once) {
      Place promised;
      std::size_t cheapest = trials_.size();
      for (std::size_t j = 0; j < trials_.size(); ++j) {
        const auto& dropped = without.dropped;
        if (trials_[j] == 0 || std::count(dropped.begin(), dropped.end(), j) > 0) continue;
        Bounds one_more = bounds;
        one_more.hold(j, sum_.initial);
        Place place = minimum_of_model(one_more, kFirstRadius);
        if (place.cost < promised.cost) promised = std::move(place), cheapest = j;
      }
      if (!(promised.cost <= most)) break;
      bounds.hold(cheapest, sum_.initial);
      without.dropped.push_back(cheapest);
      without.promised = std::move(promised);
    }
    return without;
  }

  static constexpr double kTiny = 1e-12;

  RobustSum sum_;
  const SecantOptions& options_;
  Place best_;
  Matrix jacobian_;
  std::vector<int> trials_;  ///< left to each parameter, of going back
  bool has_moved_ = false;   ///< since differences were taken
};

}  // namespace

SecantFitResult secant_fit(const FitProblem& problem, std::span<const std::vector<double>> starts,
                           const SecantOptions& options) {
  SecantFit fit(problem, options);
  fit.start(starts);
  fit.descend();
  fit.drop_what_is_not_worth_keeping();
  fit.descend();
  return fit.result();
}

}  // namespace tradewind::validation
