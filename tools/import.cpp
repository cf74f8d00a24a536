#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "tools/command.h"
#include "validation/import/importer.h"

namespace tradewind::tools {
namespace {

struct ImportArguments {
  std::string format, out;
  validation::ImportRequest request;
  bool list = false;
};

std::string format_list() {
  std::string text;
  for (const validation::ImportFormat& format : validation::import_formats()) {
    text += fmt::format("{:<14}{} -> {}\n", format.name, format.summary,
                        format.gives_kernels ? "kernel CSV" : "trace");
  }
  return text;
}

void require(const std::string& value, const char* name) {
  if (value.empty()) {
    throw InputError("import", "", fmt::format("{} is needed (see tradewind import --help)", name));
  }
}

void execute(const ImportArguments& arguments, const Session& session) {
  if (arguments.list) return write_file("-", format_list());
  require(arguments.format, "FORMAT");
  require(arguments.request.file, "FILE");
  require(arguments.out, "--out");
  validation::ImportRequest request = arguments.request;
  request.data = session.data_root();
  const validation::Imported imported = validation::import_measurements(arguments.format, request);
  write_file(arguments.out, imported.text);
  for (const std::string& note : imported.notes) spdlog::info("{}: {}", request.name(), note);
}

}  // namespace

void add_import(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("import", "Turn another tool's measurements into a trace or a kernel CSV");
  auto arguments = std::make_shared<ImportArguments>();
  validation::ImportRequest& request = arguments->request;
  command->add_option("format", arguments->format, "Whose file it is: one of --list");
  command->add_option("file", request.file, "What to read (- for stdin)");
  command->add_option("--out", arguments->out, "The trace or CSV to write (- for stdout)");
  command->add_option("--scenario", request.scenario,
                      "Scenario that ran; its workload is completed from the file");
  command->add_option("--group", request.group, "Group of the points, e.g. h100/vllm/70b/serving");
  command->add_option("--split", request.split, "fit or check (default)")
      ->check(CLI::IsMember({"fit", "check"}));
  command->add_option("--op", request.operation,
                      "Collective of an nccl-tests log that does not name it");
  command->add_option("--device", request.device,
                      "Device of an nccl-tests log, instead of what its driver says");
  command->add_flag("--list", arguments->list, "Show the formats");
  command->footer("Formats:\n" + format_list());
  command->callback([arguments, &session] { execute(*arguments, session); });
}

}  // namespace tradewind::tools
