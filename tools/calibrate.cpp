#include <CLI/CLI.hpp>
#include <iostream>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "tools/command.h"
#include "validation/calibration.h"
#include "validation/runtime_calibration.h"

namespace tradewind::tools {
namespace {

struct Arguments {
  std::string hardware, runtime, out;
  std::vector<std::string> kernels, traces;
};

/// What was written may go to stdout: the table keeps out of its way.
void print(const std::string& table, const std::string& out) {
  if (out == "-") {
    std::cerr << table;
  } else {
    write_file("-", table);
  }
}

void calibrate_kernels(const Arguments& arguments, const std::filesystem::path& data) {
  if (arguments.kernels.empty()) throw InputError("--hardware", "", "needs --kernels");
  if (arguments.out.empty()) throw InputError("--hardware", "", "needs --out");
  const auto sets =
      validation::run_calibration({arguments.hardware, arguments.kernels, data, arguments.out});
  print(validation::calibration_table(sets), arguments.out);
}

void calibrate_runtime(const Arguments& arguments, const std::filesystem::path& data) {
  if (arguments.traces.empty()) throw InputError("--runtime", "", "needs --traces");
  const auto fits = validation::run_runtime_calibration(
      {arguments.runtime, arguments.traces, data, arguments.out});
  print(validation::runtime_calibration_table(fits), arguments.out);
}

}  // namespace

void add_calibrate(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "Fit a profile's coefficients to kernel measurements (a quarter is kept to check), or a "
      "runtime's constants to the `fit` points of traces");
  auto arguments = std::make_shared<Arguments>();
  auto* what = command->add_option_group("what");
  what->add_option("--hardware", arguments->hardware, "Device of the CSVs, or its profile");
  what->add_option("--runtime", arguments->runtime, "Runtime of the traces: vllm@0.9");
  what->require_option(1);
  command->add_option("--kernels", arguments->kernels, "Kernel CSV files");
  command->add_option("--traces", arguments->traces, "Trace files or folders");
  command->add_option("--out", arguments->out,
                      "The accelerator profile or runtime to write (- for stdout)");
  command->callback([arguments, &session] {
    if (arguments->runtime.empty()) {
      calibrate_kernels(*arguments, session.data_root());
    } else {
      calibrate_runtime(*arguments, session.data_root());
    }
  });
}

}  // namespace tradewind::tools
