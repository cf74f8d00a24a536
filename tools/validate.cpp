#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "tools/command.h"
#include "validation/baseline.h"
#include "validation/gate.h"
#include "validation/validation.h"
#include "validation/validation_page.h"
#include "validation/validation_text.h"
#include "validation/withheld.h"

namespace tradewind::tools {
namespace {
namespace fs = std::filesystem;

struct ValidateArguments {
  std::vector<std::string> traces;
  std::string against, withheld;
  bool update = false;
  std::string out;
  std::string format = "table";
  int jobs = 0;
};

std::vector<std::string> measurement_paths(const ValidateArguments& arguments,
                                           const fs::path& data) {
  const std::vector<std::string> paths =
      arguments.traces.empty() ? std::vector{(data / "traces").string()} : arguments.traces;
  for (const std::string& path : paths) {
    if (path == "-" || fs::exists(path)) continue;
    throw InputError(path, "", "there are no traces here; name some with --traces");
  }
  return paths;
}

/// The baseline to compare with: as asked for; the project's own when its own traces are compared
/// with what is known.
std::string baseline_path(const ValidateArguments& arguments, const fs::path& data) {
  if (!arguments.against.empty() || !arguments.traces.empty() || !arguments.withheld.empty()) {
    return arguments.against;
  }
  const fs::path own = data / "validation" / "baseline.json";
  return fs::exists(own) ? own.string() : "";
}

/// Compares with the baseline and says on `log` what changed. True when nothing got worse.
bool compare(const validation::Validation& validation, const std::string& file, std::string& log) {
  const validation::Baseline baseline = validation::read_baseline(read_file(file), file);
  const validation::Gate gate = validation::compare_with_baseline(validation, baseline, file);
  log += validation::gate_text(gate);
  return gate.passed();
}

/// Writes the baseline anew; what changed since the old one is worth saying where that is readable.
void update(const validation::Validation& validation, const std::string& file, std::string& log) {
  if (fs::exists(file)) {
    try {
      compare(validation, file, log);
    } catch (const InputError& error) {
      log += fmt::format("the old baseline says nothing: {}\n", error.what());
    }
  }
  write_file(file, validation::baseline_text(validation::make_baseline(validation)));
  log += fmt::format("baseline written: {}\n", file);
}

/// A device without its measurements is judged by the mean, not point by point.
bool judge_withheld(const validation::Validation& validation, std::string& log) {
  const std::optional<double> error = validation::mean_error_of_static_batches(validation);
  if (!error) return true;
  log += fmt::format(
      "mean error of static batches without measurements: {:.1f} % (granted {:.0f} %)\n",
      100 * *error, 100 * validation::kWithheldTolerance);
  return *error <= validation::kWithheldTolerance;
}

bool judge(const validation::Validation& validation, const std::string& baseline, bool is_update,
           std::string& log) {
  if (baseline.empty()) return validation.within_tolerance();
  if (!is_update) return compare(validation, baseline, log);
  update(validation, baseline, log);
  return true;
}

void execute(const ValidateArguments& arguments, Session& session) {
  const fs::path data = session.data_root(), out = arguments.out;
  const std::string baseline = baseline_path(arguments, data);
  const validation::MeasurementFiles files =
      validation::find_measurements(measurement_paths(arguments, data));
  if (!out.empty()) make_output_folder(out);
  const validation::Validation validation =
      validation::validate(files, data, arguments.jobs, arguments.withheld);
  std::string changes;
  const bool passed = arguments.withheld.empty()
                          ? judge(validation, baseline, arguments.update, changes)
                          : judge_withheld(validation, changes);
  const std::string text = validation::validation_text(validation) + changes;
  const std::string json = validation::validation_json(validation, passed).dump(2) + "\n";
  if (!out.empty()) {
    write_file(out / "errors.json", json);
    write_file(out / "errors.txt", text);
    write_file(out / "validation.html",
               validation::validation_page(validation, changes,
                                           {TRADEWIND_VERSION, session.command_line}));
  }
  if (arguments.format == "json") std::cerr << changes;
  write_file("-", arguments.format == "json" ? json : text);
  session.exit_code = passed ? kDone : kOutsideTolerance;
}

}  // namespace

void add_validate(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("validate", "Compare with what was measured: traces and kernel CSVs");
  auto arguments = std::make_shared<ValidateArguments>();
  command
      ->add_option("--traces", arguments->traces,
                   "Trace, kernel CSV or a folder of them; may be repeated (default: traces/)")
      ->take_all()
      ->expected(1);
  CLI::Option* against = command->add_option(
      "--against", arguments->against,
      "Baseline: fail (exit 3) only where a point leaves its tolerance or a group gets worse "
      "(default: the project's, for its own traces)");
  command->add_flag("--update", arguments->update, "Write the baseline anew")->needs(against);
  command
      ->add_option(
          "--withhold", arguments->withheld,
          "Device (h200): answer for its points with what was measured on it withheld, from "
          "its datasheet and the nearest measured part")
      ->excludes(against);
  command->add_option("--out", arguments->out,
                      "Folder for validation.html, errors.json and errors.txt");
  command->add_option("--format", arguments->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "Threads; all cores if not given")
      ->check(CLI::Range(1, 1024));
  command->callback([arguments, &session] { execute(*arguments, session); });
}

}  // namespace tradewind::tools
