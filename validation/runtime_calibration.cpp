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
#include "validation/secant_fit.h"
#include "validation/trace_files.h"

namespace tradewind::validation {
namespace {

using Json = nlohmann::ordered_json;
using scenario::Runtime;

/// log(simulated / measured) of a point without an answer: as far off as 100 %.
constexpr double kNoAnswer = 1;

/// How a source begins that says that this command fitted the constant.
constexpr const char* kCommand = "tradewind calibrate --runtime";

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

Runtime with_coordinates(const Prior& prior, std::span<const double> coordinates) {
  std::vector<double> values;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    values.push_back(prior.constants[i]->at_coordinate(coordinates[i]));
  }
  return with_values(prior.base, prior.constants, values);
}

/// Unknown, or known from this command.
bool is_free(const Json& device, const RuntimeConstant& constant) {
  if (!device.contains(constant.section)) return true;
  const Json& section = device[std::string(constant.section)];
  if (!section.contains(constant.name)) return true;
  const Json& figure = section[std::string(constant.name)];
  return figure.is_object() && figure.value("kind", "") == "fitted" &&
         figure.value("source", "").starts_with(kCommand);
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

/// In the constants' coordinates.
FitProblem problem_of(const RuntimeSample& sample, const Prior& prior) {
  FitProblem problem;
  for (const RuntimeConstant* constant : prior.constants) {
    const double known = constant->value_of(prior.base);
    const double one = constant->coordinate_of(std::min(constant->lower, known));
    const double other = constant->coordinate_of(std::max(constant->upper, known));
    problem.parameters.push_back(
        {std::min(one, other), std::max(one, other), constant->coordinate_of(known)});
  }
  problem.weights = sample.weights();
  problem.residuals = [&sample, &prior](std::span<const double> coordinates,
                                        std::span<double> residuals) {
    const auto ratios = sample.ratios(with_coordinates(prior, coordinates));
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      residuals[i] = ratios[i] ? std::log(*ratios[i]) : kNoAnswer;
    }
  };
  return problem;
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
void fit_sample(const RuntimeSample& sample, const Prior& prior, CalibratedRuntime& fitted) {
  std::vector<double> typical, now;
  for (const RuntimeConstant* constant : prior.constants) {
    typical.push_back(constant->coordinate_of(constant->typical));
    now.push_back(constant->coordinate_of(constant->value_of(prior.now)));
  }
  // At 0.02 host times and rates of TensorRT-LLM ended at their bounds, for 0.1 points of error.
  constexpr double kPrior = 0.05;
  const SecantOptions options{.prior = kPrior, .worth_keeping = kWorthKeeping};
  const std::vector<std::vector<double>> starts = {typical, now};
  const SecantFitResult found = secant_fit(problem_of(sample, prior), starts, options);
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    if (!found.is_kept[i]) continue;
    fitted.constants.push_back(prior.constants[i]);
    fitted.values.push_back(four_digits(prior.constants[i]->at_coordinate(found.values[i])));
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
  std::map<std::string, std::map<std::string, RuntimeSample>> samples;  // by architecture, split
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
    const RuntimeSample& fit = by_split["fit"];
    const RuntimeSample& check = by_split["check"];
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
    std::string command = fmt::format("{} {} --traces", kCommand, request.runtime);
    for (const std::string& path : request.trace_files) {
      command += fmt::format(" {}", std::filesystem::path(path).filename().string());
    }
    write_file(request.out.string(), with_runtime_constants(file, fits, command));
  }
  return fits;
}

}  // namespace tradewind::validation
