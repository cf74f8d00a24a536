#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "tools/command.h"
#include "validation/validation.h"
#include "validation/validation_text.h"

namespace tradewind::tools {
namespace {
namespace fs = std::filesystem;

struct ValidateArguments {
  std::vector<std::string> traces;
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

void execute(const ValidateArguments& arguments, Session& session) {
  const fs::path data = session.data_root();
  const validation::MeasurementFiles files =
      validation::find_measurements(measurement_paths(arguments, data));
  const validation::Validation validation = validation::validate(files, data, arguments.jobs);
  const bool passed = validation.within_tolerance();
  const std::string text = validation::validation_text(validation);
  const std::string json = validation::validation_json(validation, passed).dump(2) + "\n";
  if (!arguments.out.empty()) {
    make_output_folder(arguments.out);
    write_file(fs::path(arguments.out) / "errors.json", json);
    write_file(fs::path(arguments.out) / "errors.txt", text);
  }
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
  command->add_option("--out", arguments->out, "Folder for errors.json and errors.txt");
  command->add_option("--format", arguments->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "Threads; all cores if not given")
      ->check(CLI::Range(1, 1024));
  command->callback([arguments, &session] { execute(*arguments, session); });
}

}  // namespace tradewind::tools
