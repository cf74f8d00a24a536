#include "validation/reproduce/solve_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/json/reader.h"
#include "validation/levenberg_marquardt.h"
#include "validation/reproduce/fact_points.h"

namespace tradewind::validation {
namespace {

/// A scenario that gives no answer is far from every fact.
constexpr double kNoAnswer = 1e3;

/// A rate that can be solved: bounds of what is physical and where the search starts.
struct SolvableRate {
  const char* name;
  double scenario::RooflineRates::*member;
  double unit;  ///< of the name, in that of the member
  FitParameter range;
};
constexpr double kMicrosecond = 1e-6;
const std::vector<SolvableRate> kRates = {
    {"matrix_share", &scenario::RooflineRates::matrix_share, 1, {0.05, 1, 0.65}},
    {"hbm_share", &scenario::RooflineRates::hbm_share, 1, {0.05, 1, 0.9}},
    {"link_share", &scenario::RooflineRates::link_share, 1, {0.05, 1, 0.65}},
    {"kernel_latency_us", &scenario::RooflineRates::kernel_latency_s, kMicrosecond, {0, 100, 10}},
};

const SolvableRate& solvable_rate(const std::string& name) {
  return *std::find_if(kRates.begin(), kRates.end(),
                       [&](const SolvableRate& rate) { return rate.name == name; });
}

double three_digits(double value) {
  return std::stod(fmt::format("{:.3g}", value));
}

std::size_t index_of_rate(const Facts& facts, const std::string& rate) {
  const auto& names = facts.solved_rates;
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), rate) - names.begin());
}

/// The facts that decide, and their points, priced again for every trial of the rates.
class RatesProblem {
 public:
  RatesProblem(const Facts& facts, scenario::Catalogue& catalogue, int jobs)
      : paper_{facts.runtime}, jobs_(jobs), rates_(facts.solved_rates) {
    for (const std::string& id : facts.solved_from) {
      facts_.push_back(&facts.find(id));
      add_points(points_, *facts_.back(), paper_, catalogue);
    }
    runtime_ = *points_.begin()->second.scenario.runtime;
  }

  std::size_t size() const { return facts_.size(); }

  std::vector<SolvedRates::Residual> residuals(std::span<const double> values) {
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      const SolvableRate& rate = solvable_rate(rates_[i]);
      runtime_.rates.*rate.member = rate.unit * values[i];
    }
    const auto runtime = std::make_shared<const scenario::Runtime>(runtime_);
    for (auto& [text, point] : points_) point.scenario.runtime = runtime;
    simulate(points_, jobs_);
    std::vector<SolvedRates::Residual> residuals;
    for (const Fact* fact : facts_) {
      const Answer simulated = answer(*fact, paper_, points_);
      SolvedRates::Residual residual{fact->id, fact->published, 0, kNoAnswer};
      if (simulated.value) {
        residual.simulated = *simulated.value;
        residual.tolerances =
            (residual.simulated - fact->published) / fact->acceptance.tolerance(fact->published);
      }
      residuals.push_back(residual);
    }
    return residuals;
  }

 private:
  Variant paper_;
  int jobs_;
  std::vector<std::string> rates_;
  std::vector<const Fact*> facts_;
  FactPoints points_;
  scenario::Runtime runtime_;
};

}  // namespace

double SolvedRates::rate(std::string_view name) const {
  return std::find_if(rates.begin(), rates.end(),
                      [&](const Rate& rate) { return rate.name == name; })
      ->value;
}

SolvedRates solve_rates(const Facts& facts, scenario::Catalogue& catalogue, int jobs) {
  if (facts.solved_from.empty()) {
    throw InputError("facts.json", "/solve/facts", "names no fact to solve the rates from");
  }
  RatesProblem problem(facts, catalogue, jobs);
  FitProblem fit_problem;
  for (const std::string& rate : facts.solved_rates) {
    fit_problem.parameters.push_back(solvable_rate(rate).range);
  }
  fit_problem.weights.assign(problem.size() + facts.known_rates.size(), 1);
  fit_problem.residuals = [&](std::span<const double> values, std::span<double> out) {
    std::size_t i = 0;
    for (const auto& residual : problem.residuals(values)) out[i++] = residual.tolerances;
    for (const KnownRate& known : facts.known_rates) {
      out[i++] = (values[index_of_rate(facts, known.rate)] - known.value) / known.width;
    }
  };
  // Plain least squares: the scale lies far beyond any residual, and the solver's own pull towards
  // where it starts is too weak to be seen in three digits.
  const FitOptions options{.robust_scale = 1e2, .prior = 1e-4, .random_starts = 4};
  const std::vector<double> found = fit(fit_problem, {}, options).values;

  SolvedRates solved;
  std::vector<double> rounded;
  for (std::size_t i = 0; i < found.size(); ++i) {
    rounded.push_back(three_digits(found[i]));
    solved.rates.push_back({facts.solved_rates[i], rounded.back()});
  }
  solved.residuals = problem.residuals(rounded);
  return solved;
}

std::string with_solved_rates(std::string_view text, const std::string& file,
                              const SolvedRates& rates, const std::string& source) {
  json::Document::parse(text, file).root().keys();
  auto runtime = nlohmann::ordered_json::parse(text);
  std::string left;
  for (const SolvedRates::Residual& residual : rates.residuals) {
    left += fmt::format("{}{} {:.3g} of {:.3g} published", left.empty() ? "" : "; ", residual.fact,
                        residual.simulated, residual.published);
  }
  const auto figure = [&](double value) {
    return nlohmann::ordered_json{
        {"value", value}, {"kind", "fitted"}, {"source", source}, {"note", left}};
  };
  auto& stored = runtime["rates"];
  for (const SolvedRates::Rate& rate : rates.rates) stored[rate.name] = figure(rate.value);
  return runtime.dump(2) + "\n";
}

}  // namespace tradewind::validation
