#include "validation/levenberg_marquardt.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>
#include <unsupported/Eigen/NonLinearOptimization>

namespace tradewind::validation {
namespace {

/// Maps one bounded value to the whole line and back.
class FreeCoordinate {
 public:
  explicit FreeCoordinate(const FitParameter& parameter)
      : logarithmic_(parameter.lower > 0 && parameter.upper > kWideRange * parameter.lower),
        low_(scaled(parameter.lower)),
        high_(scaled(parameter.upper)) {}

  double from_value(double value) const {
    // A start on a bound would sit where the logistic is flat and never leave it.
    constexpr double kEdge = 1e-6;
    if (!(high_ > low_)) return 0;
    const double share = std::clamp((scaled(value) - low_) / (high_ - low_), kEdge, 1 - kEdge);
    return std::log(share / (1 - share));
  }

  double to_value(double z) const {
    const double at = low_ + (high_ - low_) / (1 + std::exp(-z));
    return logarithmic_ ? std::exp(at) : at;
  }

 private:
  double scaled(double value) const { return logarithmic_ ? std::log(value) : value; }

  bool logarithmic_;
  double low_, high_;
};

/// The weighted, robust sum of squares in free coordinates, as Eigen's solver wants it.
class Objective {
 public:
  using Scalar = double;
  using Vector = Eigen::VectorXd;

  Objective(const FitProblem& problem, const FitOptions& options)
      : problem_(problem), options_(options), values_(problem.parameters.size()) {
    for (const FitParameter& parameter : problem.parameters) {
      coordinates_.emplace_back(parameter);
      initial_.push_back(coordinates_.back().from_value(parameter.initial));
    }
    for (const double weight : problem.weights) root_weights_.push_back(std::sqrt(weight));
  }

  Eigen::Index inputs() const { return static_cast<Eigen::Index>(coordinates_.size()); }
  /// Observations and one prior a parameter: never fewer equations than unknowns.
  Eigen::Index values() const { return static_cast<Eigen::Index>(root_weights_.size()) + inputs(); }

  int operator()(const Vector& z, Vector& out) {
    ++evaluations_;
    const std::size_t observations = root_weights_.size();
    to_values(z, values_);
    const std::span<double> all(out.data(), observations + coordinates_.size());
    problem_.residuals(values_, all.first(observations));
    for (std::size_t i = 0; i < observations; ++i) all[i] = root_weights_[i] * soft_l1(all[i]);
    for (std::size_t j = 0; j < coordinates_.size(); ++j) {
      all[observations + j] = options_.prior * (z[static_cast<Eigen::Index>(j)] - initial_[j]);
    }
    return 0;
  }

  int df(const Vector& z, Eigen::MatrixXd& jacobian) {
    Vector here(values()), there(values());
    (*this)(z, here);
    Vector moved = z;
    for (Eigen::Index j = 0; j < inputs(); ++j) {
      moved[j] = z[j] + options_.difference_step;
      (*this)(moved, there);
      jacobian.col(j) = (there - here) / options_.difference_step;
      moved[j] = z[j];
    }
    return 0;
  }

  double cost(const Vector& z) {
    Vector out(values());
    (*this)(z, out);
    return out.squaredNorm();
  }

  Vector from_values(std::span<const double> values) const {
    Vector z(inputs());
    for (std::size_t j = 0; j < coordinates_.size(); ++j) {
      z[static_cast<Eigen::Index>(j)] = coordinates_[j].from_value(values[j]);
    }
    return z;
  }
  void to_values(const Vector& z, std::vector<double>& values) const {
    for (std::size_t j = 0; j < coordinates_.size(); ++j) {
      values[j] = coordinates_[j].to_value(z[static_cast<Eigen::Index>(j)]);
    }
  }
  Vector initial() const { return Eigen::Map<const Vector>(initial_.data(), inputs()); }
  int evaluations() const { return evaluations_; }

 private:
  /// Signed square root of the loss: its square is the loss, and it stays smooth through zero.
  double soft_l1(double residual) const {
    const double s = options_.robust_scale;
    const double loss = 2 * (std::sqrt(1 + residual / s * (residual / s)) - 1);
    return std::copysign(s * std::sqrt(loss), residual);
  }

  const FitProblem& problem_;
  const FitOptions& options_;
  std::vector<FreeCoordinate> coordinates_;
  std::vector<double> initial_, root_weights_, values_;
  int evaluations_ = 0;
};

struct Candidate {
  Eigen::VectorXd z;
  double cost;
};

Candidate descend(Objective& objective, const Eigen::VectorXd& start) {
  // Relative gain or step at which a descent ends: values are kept to four digits.
  constexpr double kTolerance = 1e-6;
  constexpr int kMostEvaluations = 300;  // those of the differences not counted
  Eigen::LevenbergMarquardt<Objective> solver(objective);
  solver.parameters.maxfev = kMostEvaluations;
  solver.parameters.ftol = solver.parameters.xtol = kTolerance;
  Eigen::VectorXd z = start;
  solver.minimize(z);
  return {z, objective.cost(z)};
}

/// One round of steps along each coordinate; true if one helped.
bool improve(Objective& objective, double step, Candidate& best) {
  bool improved = false;
  for (Eigen::Index j = 0; j < best.z.size(); ++j) {
    for (const double direction : {step, -step}) {
      Candidate moved = best;
      moved.z[j] += direction;
      moved.cost = objective.cost(moved.z);
      if (moved.cost < best.cost) best = std::move(moved), improved = true;
    }
  }
  return improved;
}

/// Rounds while they help, then half the step.
void polish(Objective& objective, Candidate& best) {
  constexpr double kWidest = 0.4, kNarrowest = 0.005;
  constexpr int kMostRounds = 10;
  for (double step = kWidest; step > kNarrowest; step /= 2) {
    for (int round = 0; round < kMostRounds && improve(objective, step, best); ++round) {
    }
  }
}

/// Uniform within +-`kSpread` of the initial values, in free coordinates. Written out because
/// the standard leaves its distributions to each library.
std::vector<Eigen::VectorXd> random_starts(const Objective& objective, const FitOptions& options) {
  constexpr double kSpread = 2;
  std::mt19937_64 generator(options.seed);
  std::vector<Eigen::VectorXd> starts;
  for (int i = 0; i < options.random_starts; ++i) {
    Eigen::VectorXd z = objective.initial();
    for (double& coordinate : z) {
      coordinate += kSpread * (2 * std::ldexp(static_cast<double>(generator() >> 11), -53) - 1);
    }
    starts.push_back(std::move(z));
  }
  return starts;
}

}  // namespace

FitResult fit(const FitProblem& problem, std::span<const std::vector<double>> starts,
              const FitOptions& options) {
  Objective objective(problem, options);
  std::vector<Eigen::VectorXd> all = random_starts(objective, options);
  for (const std::vector<double>& start : starts) all.push_back(objective.from_values(start));
  if (all.empty()) all.push_back(objective.initial());

  Candidate best{all.front(), objective.cost(all.front())};
  for (const Eigen::VectorXd& start : all) {
    Candidate found = descend(objective, start);
    if (found.cost < best.cost) best = std::move(found);
  }
  polish(objective, best);
  Candidate again = descend(objective, best.z);
  if (again.cost < best.cost) best = std::move(again);

  FitResult result;
  result.values.resize(problem.parameters.size());
  objective.to_values(best.z, result.values);
  result.cost = best.cost;
  result.evaluations = objective.evaluations();
  return result;
}

}  // namespace tradewind::validation
