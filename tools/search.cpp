#include "sim/study/search.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "sim/core/file.h"
#include "sim/report/html.h"
#include "sim/report/search_table.h"
#include "sim/report/sweep_csv.h"
#include "sim/report/sweep_jsonl.h"
#include "tools/command.h"
#include "tools/progress_bar.h"

namespace tradewind::tools {
namespace {

struct SearchArguments {
  std::string search;
  std::string out;
  int jobs = 0;
};

void execute(const SearchArguments& arguments, Session& session) {
  scenario::Catalogue catalogue(session.data_root());
  const study::Search search = study::read_search(
      read_file(arguments.search), arguments.search == "-" ? "stdin" : arguments.search);
  ProgressBar bar("plans");
  const study::SweepResults results = study::run_search(
      search, catalogue,
      {arguments.jobs, [&](std::size_t done, std::size_t all) { bar.show(done, all); }});
  const std::filesystem::path out = arguments.out;
  make_output_folder(out);
  std::string lines;
  for (const study::Point& point : results.points) {
    report::append_jsonl_line(lines, results.axes, point, TRADEWIND_VERSION);
  }
  write_file(out / "results.jsonl", lines);
  write_file(out / "results.csv", report::sweep_csv(results));
  write_file(out / "report.html",
             report::html_report(results, {TRADEWIND_VERSION, session.command_line}));
  write_file("-", report::search_table(search, results));
  write_file("-", fmt::format("report: {}\n", (out / "report.html").string()));
}

}  // namespace

void add_search(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "search", "Find each plan's largest request rate under a service level, and the best plan");
  auto arguments = std::make_shared<SearchArguments>();
  command->add_option("search", arguments->search, "Search file (- for stdin)")->required();
  command->add_option("--out", arguments->out, "Folder for the results")->required();
  command->add_option("--jobs", arguments->jobs, "Threads; all cores if not given")
      ->check(CLI::Range(1, 1024));
  command->callback([arguments, &session] { execute(*arguments, session); });
}

}  // namespace tradewind::tools
