#include "sim/workload/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/report/comparison_page.h"
#include "sim/report/comparison_text.h"
#include "sim/report/request_csv.h"
#include "sim/report/result_json.h"
#include "sim/report/run_timeline.h"
#include "sim/report/serving_page.h"
#include "sim/report/serving_timeline.h"
#include "sim/report/table.h"
#include "sim/report/training_page.h"
#include "sim/report/training_timeline.h"
#include "sim/study/comparison.h"
#include "tools/command.h"
#include "tools/scenario_option.h"

namespace tradewind::tools {
namespace {

struct RunArguments {
  ScenarioOption scenario;
  std::string format = "table";
  std::string timeline;
  std::string compare;  ///< strategies, comma-separated; empty = the plan's own alone
  std::string report;
  std::string requests;
  bool full = false;
  bool stats = false;
};

/// The scenario under each strategy; infeasible only if it is so under all of them.
void execute_comparison(const RunArguments& arguments, const scenario::Scenario& scenario,
                        Session& session) {
  const study::Comparison comparison =
      study::compare(scenario, study::read_strategies(arguments.compare, scenario.plan.overlap),
                     {.full = arguments.full});
  if (!arguments.report.empty()) {
    write_file(arguments.report,
               report::comparison_page(comparison, {TRADEWIND_VERSION, session.command_line}));
  }
  if (arguments.format == "json") {
    const std::string text = report::comparison_json(comparison, TRADEWIND_VERSION);
    write_file("-", nlohmann::ordered_json::parse(text).dump(2) + "\n");
  } else {
    write_file("-", report::comparison_table(comparison));
  }
  const bool any_feasible =
      std::any_of(comparison.strategies.begin(), comparison.strategies.end(),
                  [](const study::Compared& compared) { return compared.result.feasible; });
  session.exit_code = any_feasible ? kDone : kInfeasible;
}

/// What a run leaves beside its result: request by request, as a page, as a trace.
void write_beside(const RunArguments& arguments, const scenario::Scenario& scenario,
                  const workload::Result& result, const Session& session) {
  const report::ReportOrigin origin{TRADEWIND_VERSION, session.command_line};
  std::vector<OutputFile> files;
  if (result.serving && !arguments.requests.empty()) {
    files.push_back({arguments.requests, report::request_csv(*result.serving)});
  }
  if (!arguments.report.empty()) {
    const bool trains = std::holds_alternative<scenario::Training>(scenario.workload);
    if (trains)
      files.push_back({arguments.report, report::training_page(scenario, result, origin)});
    if (result.serving) {
      files.push_back({arguments.report, report::serving_page(scenario, result, origin)});
    }
  }
  if (!arguments.timeline.empty() && result.metrics.makespan_ms) {
    files.push_back({arguments.timeline, result.serving ? report::serving_timeline(*result.serving)
                                         : result.schedule
                                             ? report::training_timeline(*result.schedule)
                                             : report::run_timeline(scenario, arguments.full)});
  }
  write_files(files);
}

/// What the result carries for those files. Throws where the workload has no such file.
workload::RunOptions run_options(const RunArguments& arguments,
                                 const scenario::Scenario& scenario) {
  const bool serves = std::holds_alternative<scenario::Serving>(scenario.workload);
  const bool trains = std::holds_alternative<scenario::Training>(scenario.workload);
  if (!arguments.requests.empty() && !serves) {
    throw InputError("--requests", "", "needs the workload kind \"serving\"");
  }
  if (!arguments.report.empty() && !serves && !trains) {
    throw InputError("--report", "",
                     "needs the workload kind \"serving\" or \"training\" (or --compare)");
  }
  const bool shows = !arguments.report.empty() || !arguments.timeline.empty();
  return {.full = arguments.full,
          .keep_requests = serves && (shows || !arguments.requests.empty()),
          .keep_schedule = trains && shows};
}

void execute(const RunArguments& arguments, Session& session) {
  scenario::Catalogue catalogue(session.data_root());
  const scenario::Scenario scenario = load_scenario(arguments.scenario, catalogue);
  if (!arguments.compare.empty()) return execute_comparison(arguments, scenario, session);
  const auto begin = std::chrono::steady_clock::now();
  const workload::Result result = workload::run(scenario, run_options(arguments, scenario));
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
  write_beside(arguments, scenario, result, session);
  write_file("-", text);
  session.exit_code = result.feasible ? kDone : kInfeasible;
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("run", "Simulate one scenario to the end");
  auto arguments = std::make_shared<RunArguments>();
  add_scenario_option(*command, arguments->scenario);
  command->add_option("--format", arguments->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  CLI::Option* timeline = command->add_option(
      "--timeline", arguments->timeline,
      "Write a Chrome trace (Perfetto opens it) of prefill and first decode steps; of serving the "
      "steps of each replica; of training the passes of each stage");
  CLI::Option* compare =
      command
          ->add_option("--compare", arguments->compare,
                       "Overlap strategies side by side: vanilla,slicing,decompose,flash; "
                       "NAME:SLICES for another number of slices")
          ->type_name("STRATEGIES")
          ->excludes(timeline);
  command->add_option("--report", arguments->report,
                      "Write an HTML page: of serving its latencies, queues, cache and throughput "
                      "over time; of training its schedule, memory and communication; with "
                      "--compare the timeline of one layer by strategy");
  command
      ->add_option("--requests", arguments->requests,
                   "Of serving: write a CSV file with one row a request")
      ->excludes(compare);
  command->add_flag("--full", arguments->full,
                    "Every rank, layer and step through the event engine, no shortcut");
  command->add_flag("--stats", arguments->stats, "Also report the wall time")->excludes(compare);
  command->callback([arguments, &session] { execute(*arguments, session); });
}

}  // namespace tradewind::tools
