#include <CLI/CLI.hpp>
#include <iostream>

#include "sim/core/file.h"
#include "tools/command.h"
#include "validation/calibration.h"

namespace tradewind::tools {

void add_calibrate(CLI::App& app, Session& session) {
  struct Arguments {
    std::string hardware, out;
    std::vector<std::string> kernels;
  };
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "Fit a profile's coefficients to kernel measurements; a quarter is kept to check");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("--hardware", arguments->hardware, "Device of the CSVs, or its profile")
      ->required();
  command->add_option("--kernels", arguments->kernels, "Kernel CSV files")->required();
  command->add_option("--out", arguments->out, "The accelerator profile to write (- for stdout)")
      ->required();
  command->callback([arguments, &session] {
    const auto sets = validation::run_calibration(
        {arguments->hardware, arguments->kernels, session.data_root(), arguments->out});
    // The profile may go to stdout: the table keeps out of its way.
    const std::string table = validation::calibration_table(sets);
    if (arguments->out == "-") {
      std::cerr << table;
    } else {
      write_file("-", table);
    }
  });
}

}  // namespace tradewind::tools
