#pragma once

#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace tradewind::tools {

/// Exit codes of interface.md.
enum ExitCode {
  kDone = 0,
  kInternalError = 1,
  kBadInput = 2,
  kOutsideTolerance = 3,
  kInfeasible = 4
};

/// What every command shares: where the data is, and what the process will return.
struct Session {
  std::string data_option;
  std::string command_line;  ///< as typed, for reports
  int exit_code = kDone;

  /// Found when first asked for, so that `--help` needs no data.
  std::filesystem::path data_root() const;
};

/// Each adds one subcommand with its options and what it does when chosen.
void add_run(CLI::App& app, Session& session);
void add_explain(CLI::App& app, Session& session);
void add_sweep(CLI::App& app, Session& session);
void add_search(CLI::App& app, Session& session);
void add_list(CLI::App& app, Session& session);
void add_show(CLI::App& app, Session& session);
void add_validate(CLI::App& app, Session& session);
void add_calibrate(CLI::App& app, Session& session);
void add_import(CLI::App& app, Session& session);
void add_reproduce(CLI::App& app, Session& session);

}  // namespace tradewind::tools
