#include "sim/workload/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/report/result_json.h"
#include "sim/report/run_timeline.h"
#include "sim/report/table.h"
#include "sim/scenario/reader.h"
#include "tools/command.h"

namespace tradewind::tools {
namespace {

struct RunArguments {
  std::string scenario;
  std::vector<std::string> set;
  std::string format = "table";
  std::string timeline;
  bool full = false;
  bool stats = false;
};

/// `PATH=VALUE`: the value as JSON if it is JSON, else as a string.
void apply(nlohmann::json& document, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("--set", "", fmt::format("\"{}\" is not PATH=VALUE", setting));
  }
  const std::string text = setting.substr(equals + 1);
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded()) value = text;
  scenario::set_path(document, setting.substr(0, equals), std::move(value), "--set");
}

scenario::Scenario load(const RunArguments& arguments, scenario::Catalogue& catalogue) {
  nlohmann::json document = json::Document::load(arguments.scenario).value();
  if (!document.is_object()) {
    throw InputError(arguments.scenario, "/", "expected a scenario object");
  }
  for (const std::string& setting : arguments.set) apply(document, setting);
  const std::string name = arguments.scenario == "-" ? "stdin" : arguments.scenario;
  return scenario::read_scenario(json::Node(document, name, ""), catalogue);
}

void execute(const RunArguments& arguments, Session& session) {
  scenario::Catalogue catalogue(session.data_root());
  const scenario::Scenario scenario = load(arguments, catalogue);
  const auto begin = std::chrono::steady_clock::now();
  const workload::Result result = workload::run(scenario, {.full = arguments.full});
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;

  std::string text;
  if (arguments.format == "json") {
    std::optional<double> wall_s;
    if (arguments.stats) wall_s = wall.count();
    text = report::result_json(scenario, result, TRADEWIND_VERSION, wall_s).dump(2) + "\n";
  } else {
    text = report::result_table(scenario, result);
    if (arguments.stats) text += fmt::format("simulated in {:.3f} ms\n", 1e3 * wall.count());
  }
  if (!arguments.timeline.empty() && result.metrics.makespan_ms) {
    write_file(arguments.timeline, report::run_timeline(scenario, arguments.full));
  }
  write_file("-", text);
  session.exit_code = result.feasible ? kDone : kInfeasible;
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("run", "Simulate one scenario to the end");
  auto arguments = std::make_shared<RunArguments>();
  command->add_option("scenario", arguments->scenario, "Scenario file (- for stdin)")->required();
  command->add_option("--set", arguments->set, "PATH=VALUE, replaces one field; may be repeated")
      ->take_all()
      ->expected(1)
      ->type_name("PATH=VALUE");
  command->add_option("--format", arguments->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->add_option("--timeline", arguments->timeline,
                      "Write a Chrome trace (Perfetto opens it) of prefill and first decode steps");
  command->add_flag("--full", arguments->full,
                    "Every rank, layer and step through the event engine, no shortcut");
  command->add_flag("--stats", arguments->stats, "Also report the wall time");
  command->callback([arguments, &session] { execute(*arguments, session); });
}

}  // namespace tradewind::tools
