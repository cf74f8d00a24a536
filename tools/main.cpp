#include <malloc.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "sim/core/error.h"
#include "tools/command.h"
#include "tools/data_root.h"

namespace {

using tradewind::InputError;
using tradewind::tools::Session;

std::string joined(int argc, char** argv) {
  std::string line = "tradewind";
  for (int i = 1; i < argc; ++i) line += std::string(" ") + argv[i];
  return line;
}

/// One line, whatever the library's message looks like.
int usage_error(const std::string& message) {
  std::string line = message;
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  std::cerr << "tradewind: " << line << " (see tradewind --help)\n";
  return tradewind::tools::kBadInput;
}

/// For words that no command or option takes.
std::string unknown_command(const CLI::App& app) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    commands.push_back(command->get_name());
  }
  const std::vector<std::string> rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  if (word.starts_with("-")) return "unknown option " + word;
  if (!app.get_subcommands().empty()) return "did not expect \"" + word + "\"";
  return tradewind::unknown_name("command", word, commands);
}

int run(int argc, char** argv) {
  Session session;
  session.command_line = joined(argc, argv);
  CLI::App app("A discrete-event performance simulator for parallel LLM inference and training.",
               "tradewind");
  app.set_version_flag("--version", TRADEWIND_VERSION);
  app.add_option("--data", session.data_option,
                 "Folder with models/, hardware/, configs/, traces/ (or TRADEWIND_DATA)");
  app.require_subcommand(1);
  app.footer("Try: tradewind run configs/scenarios/llama-3.1-70b-mi325x.json --set plan.tp=4");
  add_run(app, session);
  add_explain(app, session);
  add_sweep(app, session);
  add_search(app, session);
  add_validate(app, session);
  add_calibrate(app, session);
  add_import(app, session);
  add_reproduce(app, session);
  add_list(app, session);
  add_show(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ExtrasError&) {
    return usage_error(unknown_command(app));
  } catch (const CLI::RequiredError& error) {
    return usage_error(app.remaining().empty() ? error.what() : unknown_command(app));
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  return session.exit_code;
}

}  // namespace

namespace tradewind::tools {

std::filesystem::path Session::data_root() const {
  return find_data_root(data_option);
}

}  // namespace tradewind::tools

int main(int argc, char** argv) {
  // Sweeps build a graph a point: memory stays with the process instead of being mapped anew.
  constexpr int kKeptBytes = 1 << 28;
  mallopt(M_MMAP_THRESHOLD, kKeptBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  std::signal(SIGPIPE, SIG_DFL);  // `tradewind ... | head` ends quietly
  spdlog::set_default_logger(spdlog::stderr_color_st("tradewind"));
  spdlog::set_pattern("tradewind: %v");
  try {
    return run(argc, argv);
  } catch (const InputError& error) {
    spdlog::error("{}", error.what());
    return tradewind::tools::kBadInput;
  } catch (const std::exception& error) {
    spdlog::error("internal error: {}", error.what());
    return tradewind::tools::kInternalError;
  }
}
