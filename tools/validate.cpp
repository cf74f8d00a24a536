#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "tools/command.h"
#include "validation/kernel_validation.h"

namespace tradewind::tools {
namespace {
namespace fs = std::filesystem;

struct ValidateArguments {
  std::vector<std::string> traces;
  std::string out;
  std::string format = "table";
};

/// The kernel CSVs among files and folders (searched whole), sorted within each folder.
std::vector<std::string> kernel_files(const std::vector<std::string>& traces) {
  std::vector<std::string> files;
  for (const std::string& trace : traces) {
    if (!fs::is_directory(trace)) {
      if (trace != "-" && fs::path(trace).extension() != ".csv") {
        throw InputError(trace, "", "expected a .csv of kernel measurements or a folder of them");
      }
      files.push_back(trace);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(trace)) {
      if (entry.path().extension() == ".csv") found.push_back(entry.path().string());
    }
    if (found.empty()) throw InputError(trace, "", "holds no .csv of kernel measurements");
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

void execute(const ValidateArguments& arguments, Session& session) {
  const fs::path data = session.data_root();
  std::vector<std::string> traces = arguments.traces;
  if (traces.empty()) traces.push_back((data / "traces").string());
  if (!fs::exists(traces.front()) && traces.front() != "-") {
    throw InputError(traces.front(), "", "there are no traces here; name some with --traces");
  }
  std::vector<validation::PointError> points;
  for (const std::string& file : kernel_files(traces)) {
    const auto errors = validation::validate_kernel_file(file, data);
    points.insert(points.end(), errors.begin(), errors.end());
  }
  const std::vector<validation::GroupError> groups = validation::group_errors(points);
  const std::string table = validation::error_table(groups);
  const std::string json = validation::error_json(points, groups, true).dump(2) + "\n";
  if (!arguments.out.empty()) {
    make_output_folder(arguments.out);
    write_file(fs::path(arguments.out) / "errors.json", json);
    write_file(fs::path(arguments.out) / "errors.txt", table);
  }
  write_file("-", arguments.format == "json" ? json : table);
}

}  // namespace

void add_validate(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("validate", "Compare with measurements: kernel CSVs, kernel by kernel");
  auto arguments = std::make_shared<ValidateArguments>();
  command
      ->add_option("--traces", arguments->traces,
                   "Kernel CSV or a folder of them; may be repeated (default: traces/)")
      ->take_all()
      ->expected(1);
  command->add_option("--out", arguments->out, "Folder for errors.json and errors.txt");
  command->add_option("--format", arguments->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->callback([arguments, &session] { execute(*arguments, session); });
}

}  // namespace tradewind::tools
