#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "sim/core/file.h"
#include "sim/report/explanation_text.h"
#include "sim/study/explanation.h"
#include "tools/command.h"
#include "tools/scenario_option.h"

namespace tradewind::tools {
namespace {

struct ExplainArguments {
  ScenarioOption scenario;
  std::string format = "table";
};

void execute(const ExplainArguments& arguments, Session& session) {
  scenario::Catalogue catalogue(session.data_root());
  const study::Explanation explanation =
      study::explain(load_scenario(arguments.scenario, catalogue));
  if (arguments.format == "json") {
    const std::string text = report::explanation_json(explanation, TRADEWIND_VERSION);
    write_file("-", nlohmann::ordered_json::parse(text).dump(2) + "\n");
  } else {
    write_file("-", report::explanation_table(explanation));
  }
  session.exit_code = explanation.result.feasible ? kDone : kInfeasible;
}

}  // namespace

void add_explain(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "explain", "Where the time goes, what it stands on, and which parameters matter");
  auto arguments = std::make_shared<ExplainArguments>();
  add_scenario_option(*command, arguments->scenario);
  command->add_option("--format", arguments->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->callback([arguments, &session] { execute(*arguments, session); });
}

}  // namespace tradewind::tools
