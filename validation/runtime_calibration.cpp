#include "validation/runtime_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/scenario/reader.h"
#include "sim/scenario/runtime_reader.h"
#include "validation/levenberg_marquardt.h"
#include "validation/statistics.h"
#include "validation/trace_files.h"
#include "validation/trace_validation.h"

namespace tradewind::validation {
namespace {

using Json = nlohmann::ordered_json;
using scenario::Runtime;

/// log(simulated / measured) of a point without an answer: as far off as 100 %.
constexpr double kNoAnswer = 1;

constexpr double kSureOfItself = 0.05;

/// One figure, by the place of its scenario among those simulated.
struct Figure {
  std::size_t point;
  const Measurement* measurement;
};

/// The points of one runtime on one architecture and split.
class Sample {
 public:
  void add(const TracePoint& point) {
    const std::string scenario = scenario::to_json(point.scenario).dump();
    const auto [same, is_new] = place_by_scenario_.emplace(scenario, points_.size());
    if (is_new) points_.push_back(point);
    for (const Measurement& one : point.measured) figures_.push_back({same->second, &one});
  }
  std::size_t figures() const { return figures_.size(); }
  bool empty() const { return figures_.empty(); }
  /// Runtimes serve or train.
  bool is_training() const {
    return std::holds_alternative<scenario::Training>(points_.front().scenario.workload);
  }
  const hardware::Accelerator& accelerator() const {
    return points_.front().scenario.cluster->accelerator();
  }

  /// simulated / measured of each figure, nothing where there is no answer.
  std::vector<std::optional<double>> ratios(const Runtime& runtime) const {
    std::vector<TracePoint> changed = points_;
    const auto shared = std::make_shared<const Runtime>(runtime);
    for (TracePoint& point : changed) point.scenario.runtime = shared;
    const std::vector<workload::Result> results = simulate(changed);
    std::vector<std::optional<double>> ratios;
    for (const Figure& figure : figures_) {
      const auto answer = answer_of(results[figure.point], figure.measurement->metric);
      ratios.push_back(answer ? std::optional(*answer / figure.measurement->value) : std::nullopt);
    }
    return ratios;
  }

  /// A figure that is not sure of itself counts less: by the square of its spread, as in any least
  /// squares, from kSureOfItself on.
  std::vector<double> weights() const {
    std::vector<double> weights;
    for (const Figure& figure : figures_) {
      const double spread = std::max(kSureOfItself, figure.measurement->uncertainty);
      weights.push_back(kSureOfItself / spread * (kSureOfItself / spread));
    }
    return weights;
  }

  TraceAccuracy accuracy(const Runtime& runtime) const {
    if (empty()) return {};
    std::vector<double> errors;
    for (const auto& ratio : ratios(runtime)) {
      errors.push_back(ratio ? std::abs(*ratio - 1) : 1);
    }
    return {errors.size(), mean(errors), median(errors), quantile(errors, 0.9)};
  }

 private:
  std::vector<TracePoint> points_;  ///< one of each scenario, however often it was measured
  std::map<std::string, std::size_t> place_by_scenario_;
  std::vector<Figure> figures_;
};

Runtime with_values(Runtime runtime, std::span<const RuntimeConstant* const> constants,
                    std::span<const double> values) {
  for (std::size_t i = 0; i < constants.size(); ++i) {
    constants[i]->member(runtime) = values[i] * constants[i]->unit;
  }
  return runtime;
}

/// What is known of a runtime on an architecture before the fit.
struct Prior {
  Runtime base;                                   ///< without what was fitted
  Runtime now;                                    ///< with it
  std::vector<const RuntimeConstant*> constants;  ///< free to be fitted
};

bool is_free(const Json& device, const RuntimeConstant& constant) {
  if (!device.contains(constant.section)) return true;
  const Json& section = device[std::string(constant.section)];
  if (!section.contains(constant.name)) return true;
  const Json& figure = section[std::string(constant.name)];
  return figure.is_object() && figure.value("kind", "") == "fitted";
}

bool is_told(const RuntimeConstant& constant, bool by_training) {
  return constant.told_by == ToldBy::both || (constant.told_by == ToldBy::training) == by_training;
}

Prior prior_of(const std::filesystem::path& file, const hardware::Accelerator& accelerator,
               bool by_training) {
  const std::string architecture = scenario::architecture_key(accelerator);
  Json document = Json::parse(read_file(file.string()));
  const auto load = [&] {
    const json::Document parsed = json::Document::parse(document.dump(), file.string());
    auto runtime =
        std::make_shared<const Runtime>(scenario::load_runtime(parsed.root(), file.parent_path()));
    return *scenario::runtime_on(std::move(runtime), accelerator);
  };
  Prior prior;
  prior.now = load();
  Json& device = document["on"][architecture];
  for (const RuntimeConstant& constant : runtime_constants()) {
    if (!is_free(device, constant) || !is_told(constant, by_training)) continue;
    prior.constants.push_back(&constant);
    if (device.contains(constant.section)) {
      device[std::string(constant.section)].erase(std::string(constant.name));
    }
  }
  if (device.is_null()) device = Json::object();
  prior.base = load();
  return prior;
}

FitProblem problem_of(const Sample& sample, const Prior& prior) {
  FitProblem problem;
  for (const RuntimeConstant* constant : prior.constants) {
    const double known = constant->value_of(prior.base);
    problem.parameters.push_back(
        {std::min(constant->lower, known), std::max(constant->upper, known), known});
  }
  problem.weights = sample.weights();
  problem.residuals = [&sample, &prior](std::span<const double> values,
                                        std::span<double> residuals) {
    const auto ratios = sample.ratios(with_values(prior.base, prior.constants, values));
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      residuals[i] = ratios[i] ? std::log(*ratios[i]) : kNoAnswer;
    }
  };
  return problem;
}

/// The robust sum that fit() minimises, without the prior.
double loss(const FitProblem& problem, std::span<const double> values, double robust_scale) {
  std::vector<double> residuals(problem.weights.size());
  problem.residuals(values, residuals);
  double sum = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const double r = residuals[i] / robust_scale;
    sum += problem.weights[i] * 2 * robust_scale * robust_scale * (std::sqrt(1 + r * r) - 1);
  }
  return sum;
}

/// Whether `runtime` takes all constants of `name`: a file of a base alone is another name of it.
bool is_name_of(std::string runtime, const std::string& name, const std::filesystem::path& folder) {
  while (runtime != name) {
    const Json document = Json::parse(read_file((folder / (runtime + ".json")).string()));
    const bool says_more = document.size() > 2 || !document.contains("description");
    if (says_more || !document.contains("base")) return false;
    runtime = document["base"];
  }
  return true;
}

double four_digits(double value) {
  return std::stod(fmt::format("{:.3e}", value));
}

/// The constants that matter, fitted; the others as they were.
void fit_sample(const Sample& sample, Prior& prior, CalibratedRuntime& fitted) {
  FitOptions options;
  options.prior = 0.02;
  options.tolerance = 1e-4;
  options.polishes = false;  // costly, and times are smooth in these constants
  options.max_evaluations = 60;
  const FitProblem problem = problem_of(sample, prior);
  std::vector<double> typical, now, base;
  for (const RuntimeConstant* constant : prior.constants) {
    typical.push_back(constant->typical);
    now.push_back(constant->value_of(prior.now));
    base.push_back(constant->value_of(prior.base));
  }
  const std::vector<std::vector<double>> starts = {typical, now};
  std::vector<double> values = fit(problem, starts, options).values;
  std::transform(values.begin(), values.end(), values.begin(), four_digits);

  double best = loss(problem, values, options.robust_scale);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double> without = values;
    without[i] = base[i];
    const double other = loss(problem, without, options.robust_scale);
    if (other <= best * (1 + kWorthKeeping)) {
      values = without, best = other;
    } else {
      fitted.constants.push_back(prior.constants[i]);
    }
  }
  const auto index_of = [&](const RuntimeConstant* constant) {
    return static_cast<std::size_t>(
        std::find(prior.constants.begin(), prior.constants.end(), constant) -
        prior.constants.begin());
  };
  for (const RuntimeConstant* constant : fitted.constants) {
    fitted.values.push_back(values[index_of(constant)]);
  }
}

Json figure_json(double value, const std::string& command, const CalibratedRuntime& fit) {
  return {
      {"value", value},
      {"kind", "fitted"},
      {"source", command},
      {"note", fmt::format("{:.1f} % mean error left on {} figures fitted, {}",
                           100 * fit.fit_after.mape, fit.fit_after.figures,
                           fit.check_after.figures == 0 ? "none to check"
                                                        : fmt::format("{:.1f} % on {} kept apart",
                                                                      100 * fit.check_after.mape,
                                                                      fit.check_after.figures))}};
}

}  // namespace

std::vector<CalibratedRuntime> calibrate_runtime(const std::string& name,
                                                 const std::filesystem::path& file,
                                                 std::span<const TracePoint> points,
                                                 const scenario::Catalogue& catalogue) {
  std::map<std::string, std::map<std::string, Sample>> samples;  // by architecture, split
  const std::filesystem::path folder = catalogue.root() / "configs" / "runtimes";
  for (const TracePoint& point : points) {
    const Json runtime = Json::parse(point.scenario.runtime_json);
    if (!runtime.is_string()) continue;
    if (!is_name_of(scenario::known_version(runtime, folder), name, folder)) continue;
    const std::string architecture =
        scenario::architecture_key(point.scenario.cluster->accelerator());
    samples[architecture][point.split].add(point);
  }
  std::vector<CalibratedRuntime> fits;
  for (auto& [architecture, by_split] : samples) {
    const Sample& fit = by_split["fit"];
    const Sample& check = by_split["check"];
    if (fit.empty()) continue;
    Prior prior = prior_of(file, fit.accelerator(), fit.is_training());
    CalibratedRuntime fitted;
    fitted.architecture = architecture;
    fitted.fit_before = fit.accuracy(prior.now);
    fitted.check_before = check.accuracy(prior.now);
    fit_sample(fit, prior, fitted);
    const Runtime after = with_values(prior.base, fitted.constants, fitted.values);
    fitted.fit_after = fit.accuracy(after);
    fitted.check_after = check.accuracy(after);
    fits.push_back(std::move(fitted));
  }
  if (fits.empty()) throw InputError(name, "", "no point of the traces to fit runs on it");
  return fits;
}

std::string with_runtime_constants(const std::filesystem::path& file,
                                   std::span<const CalibratedRuntime> fits,
                                   const std::string& command) {
  Json document = Json::parse(read_file(file.string()));
  for (const CalibratedRuntime& fit : fits) {
    Json& device = document["on"][fit.architecture];
    for (const RuntimeConstant& constant : runtime_constants()) {
      if (!device.contains(constant.section) || !is_free(device, constant)) continue;
      device[std::string(constant.section)].erase(std::string(constant.name));
    }
    for (std::size_t i = 0; i < fit.constants.size(); ++i) {
      device[std::string(fit.constants[i]->section)][std::string(fit.constants[i]->name)] =
          figure_json(fit.values[i], command, fit);
    }
    if (device.is_null()) device = Json::object();
  }
  return document.dump(2) + "\n";
}

std::string runtime_calibration_table(std::span<const CalibratedRuntime> fits) {
  const auto change = [](double before, double after) {
    return fmt::format("{:5.1f} -> {:4.1f}", 100 * before, 100 * after);
  };
  std::string text;
  for (const CalibratedRuntime& one : fits) {
    const auto line = [&](const char* split, const TraceAccuracy& before,
                          const TraceAccuracy& after) {
      if (after.figures == 0) return;
      text += fmt::format("{:<10} {:<6} {:>4} figures  mean % {}  median % {}  p90 % {}\n",
                          one.architecture, split, after.figures, change(before.mape, after.mape),
                          change(before.median, after.median), change(before.p90, after.p90));
    };
    line("fit", one.fit_before, one.fit_after);
    line("check", one.check_before, one.check_after);
    for (std::size_t i = 0; i < one.constants.size(); ++i) {
      text += fmt::format("  {:<36} {:g}\n",
                          fmt::format("{}.{}", one.constants[i]->section, one.constants[i]->name),
                          one.values[i]);
    }
  }
  return text;
}

std::vector<CalibratedRuntime> run_runtime_calibration(const RuntimeCalibrationRequest& request) {
  scenario::Catalogue catalogue(request.data);
  const std::filesystem::path folder = request.data / "configs" / "runtimes";
  const std::filesystem::path file = folder / (request.runtime + ".json");
  if (!std::filesystem::exists(file)) {
    throw InputError("--runtime", "",
                     unknown_name("runtime", request.runtime, catalogue.runtime_names()));
  }
  const Traces traces = read_traces(find_measurements(request.trace_files).traces, catalogue);
  auto fits = calibrate_runtime(request.runtime, file, traces.points, catalogue);
  if (!request.out.empty()) {
    std::string command = fmt::format("tradewind calibrate --runtime {} --traces", request.runtime);
    for (const std::string& path : request.trace_files) {
      command += fmt::format(" {}", std::filesystem::path(path).filename().string());
    }
    write_file(request.out.string(), with_runtime_constants(file, fits, command));
  }
  return fits;
}

}  // namespace tradewind::validation
