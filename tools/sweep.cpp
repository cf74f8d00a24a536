#include "sim/study/sweep.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/report/html.h"
#include "sim/report/sweep_csv.h"
#include "sim/report/sweep_jsonl.h"
#include "sim/report/table.h"
#include "sim/study/sweep_grid.h"
#include "tools/command.h"
#include "tools/known_results.h"
#include "tools/progress_bar.h"

namespace tradewind::tools {
namespace {
namespace fs = std::filesystem;

struct SweepArguments {
  std::string sweep;
  std::string out;
  int jobs = 0;
  bool resume = false;
  std::string shard = "0/1";
};

study::Shard parse_shard(const std::string& text) {
  std::size_t index = 0, count = 0;
  int end = 0;
  const int read = std::sscanf(text.c_str(), "%zu/%zu%n", &index, &count, &end);
  const bool whole = static_cast<std::size_t>(end) == text.size();
  if (read != 2 || !whole || count == 0 || index >= count || text.front() == '-') {
    throw InputError("--shard", "", fmt::format("\"{}\" is not I/N with I from 0 to N - 1", text));
  }
  return {index, count};
}

void execute(const SweepArguments& arguments, Session& session) {
  const study::Shard shard = parse_shard(arguments.shard);
  scenario::Catalogue catalogue(session.data_root());
  const study::Sweep sweep = study::read_sweep(read_file(arguments.sweep),
                                               arguments.sweep == "-" ? "stdin" : arguments.sweep);
  const fs::path out = arguments.out;
  const fs::path kept = out / "results.partial.jsonl";

  study::SweepOptions options;
  options.jobs = arguments.jobs;
  options.shard = shard;
  ProgressBar bar("points");
  options.progress = [&](std::size_t done, std::size_t all) { bar.show(done, all); };
  KnownResults known;
  if (arguments.resume) {
    known.add(out / "results.jsonl");
    known.add(kept);
    options.known = [&](const auto& scenario, auto& result) {
      return known.find(scenario, result);
    };
  }
  const std::vector<std::string> axes = study::axis_paths(sweep);
  std::ofstream partial;
  const auto begin_partial = [&] {
    make_output_folder(out);
    partial.open(kept, std::ios::binary | std::ios::trunc);
  };
  options.finished = [&](const std::vector<study::Point>& points) {
    if (!partial.is_open()) begin_partial();
    std::string lines;
    for (const study::Point& point : points) {
      report::append_jsonl_line(lines, axes, point, TRADEWIND_VERSION);
    }
    partial << lines << std::flush;
  };
  const study::SweepResults results = study::run_sweep(sweep, catalogue, options);

  if (!partial.is_open()) begin_partial();
  partial.close();
  if (!partial) throw InputError(kept.string(), "", "can't write: the disk is full or failed");
  fs::rename(kept, out / "results.jsonl");
  write_file(out / "results.csv", report::sweep_csv(results));
  write_file(out / "report.html",
             report::html_report(results, {TRADEWIND_VERSION, session.command_line}));
  write_file("-", report::sweep_table(results));
  write_file("-", fmt::format("report: {}\n", (out / "report.html").string()));
}

}  // namespace

void add_sweep(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("sweep", "Simulate every point of a grid; CSV, JSONL and HTML report");
  auto arguments = std::make_shared<SweepArguments>();
  command->add_option("sweep", arguments->sweep, "Sweep file (- for stdin)")->required();
  command->add_option("--out", arguments->out, "Folder for the results")->required();
  command->add_option("--jobs", arguments->jobs, "Threads; all cores if not given")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--resume", arguments->resume, "Keep the points that --out has already");
  command
      ->add_option("--shard", arguments->shard,
                   "I/N: only every N-th point from the I-th (0-based)")
      ->capture_default_str();
  command->callback([arguments, &session] { execute(*arguments, session); });
}

}  // namespace tradewind::tools
