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

/// Bounds of what is physical and where the search starts, in the order of rate_names().
const std::vector<FitParameter> kRates = {{0.05, 1, 0.65}, {0.05, 1, 0.9}, {0, 100, 10}};

double three_digits(double value) {
  return std::stod(fmt::format("{:.3g}", value));
}

std::size_t index_of_rate(const std::string& rate) {
  const auto& names = rate_names();
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), rate) - names.begin());
}

/// The facts that decide, and their points, priced again for every trial of the rates.
class RatesProblem {
 public:
  RatesProblem(const Facts& facts, scenario::Catalogue& catalogue, int jobs)
      : paper_{facts.runtime}, jobs_(jobs) {
    for (const std::string& id : facts.solved_from) {
      facts_.push_back(&facts.find(id));
      add_points(points_, *facts_.back(), paper_, catalogue);
    }
    runtime_ = *points_.begin()->second.scenario.runtime;
  }

  std::size_t size() const { return facts_.size(); }

  std::vector<SolvedRates::Residual> residuals(std::span<const double> rates) {
    runtime_.rates.matrix_share = rates[0];
    runtime_.rates.hbm_share = rates[1];
    runtime_.rates.kernel_latency_s = 1e-6 * rates[2];
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
  std::vector<const Fact*> facts_;
  FactPoints points_;
  scenario::Runtime runtime_;
};

}  // namespace

SolvedRates solve_rates(const Facts& facts, scenario::Catalogue& catalogue, int jobs) {
  if (facts.solved_from.empty()) {
    throw InputError("facts.json", "/solve/facts", "names no fact to solve the rates from");
  }
  RatesProblem problem(facts, catalogue, jobs);
  FitProblem fit_problem;
  fit_problem.parameters = kRates;
  fit_problem.weights.assign(problem.size() + facts.known_rates.size(), 1);
  fit_problem.residuals = [&](std::span<const double> values, std::span<double> out) {
    std::size_t i = 0;
    for (const auto& residual : problem.residuals(values)) out[i++] = residual.tolerances;
    for (const KnownRate& known : facts.known_rates) {
      out[i++] = (values[index_of_rate(known.rate)] - known.value) / known.width;
    }
  };
  // Plain least squares: the scale lies far beyond any residual, and the solver's own pull towards
  // where it starts is too weak to be seen in three digits.
  const FitOptions options{.robust_scale = 1e2, .prior = 1e-4, .random_starts = 4};
  const std::vector<double> found = fit(fit_problem, {}, options).values;

  SolvedRates solved;
  solved.matrix_share = three_digits(found[0]);
  solved.hbm_share = three_digits(found[1]);
  solved.kernel_latency_us = three_digits(found[2]);
  const double rounded[] = {solved.matrix_share, solved.hbm_share, solved.kernel_latency_us};
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
  stored["matrix_share"] = figure(rates.matrix_share);
  stored["hbm_share"] = figure(rates.hbm_share);
  stored["kernel_latency_us"] = figure(rates.kernel_latency_us);
  return runtime.dump(2) + "\n";
}

}  // namespace tradewind::validation
