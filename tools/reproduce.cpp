#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/scenario/catalogue.h"
#include "tools/command.h"
#include "validation/reproduce/facts.h"
#include "validation/reproduce/reproduction.h"
#include "validation/reproduce/reproduction_table.h"
#include "validation/reproduce/solve_rates.h"

namespace tradewind::tools {
namespace {
namespace fs = std::filesystem;

struct ReproduceArguments {
  std::string paper;
  bool solve = false;
  bool write = false;
  int jobs = 0;
};

/// Folders of configs/papers that have facts to compare with.
std::vector<std::string> papers_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (fs::exists(entry.path() / "facts.json")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void solve(const ReproduceArguments& arguments, const validation::Facts& facts,
           scenario::Catalogue& catalogue) {
  const fs::path file = catalogue.root() / "configs" / "runtimes" / (facts.runtime + ".json");
  const validation::SolvedRates rates = validation::solve_rates(facts, catalogue, arguments.jobs);
  const std::string source = fmt::format("tradewind reproduce {} --solve", arguments.paper);
  write_file(file, validation::with_solved_rates(read_file(file), file.string(), rates, source));
  write_file("-", validation::solved_rates_table(rates) + "\n");
}

void execute(const ReproduceArguments& arguments, Session& session) {
  const fs::path root = session.data_root();
  const fs::path papers = root / "configs" / "papers";
  const std::vector<std::string> known = papers_in(papers);
  if (std::find(known.begin(), known.end(), arguments.paper) == known.end()) {
    throw InputError("reproduce", "", unknown_name("paper", arguments.paper, known));
  }
  const fs::path folder = papers / arguments.paper;
  const fs::path file = folder / "facts.json";
  const validation::Facts facts = validation::read_facts(read_file(file), file.string());
  if (arguments.solve) {
    scenario::Catalogue catalogue(root);
    solve(arguments, facts, catalogue);
  }
  // Its own catalogue: the one above knows the runtime as it was before it was solved.
  scenario::Catalogue catalogue(root);
  const validation::Reproduction reproduction =
      validation::reproduce(facts, catalogue, arguments.jobs);
  if (arguments.write) {
    const fs::path page = folder / "README.md";
    write_file(page, validation::with_generated_block(
                         read_file(page), page.string(), "published against simulated",
                         validation::reproduction_markdown(facts, reproduction)));
  }
  write_file("-", validation::reproduction_table(facts, reproduction));
  if (!reproduction.passed()) session.exit_code = kOutsideTolerance;
}

}  // namespace

void add_reproduce(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("reproduce", "A paper's published figures beside what is simulated");
  auto arguments = std::make_shared<ReproduceArguments>();
  command->add_option("paper", arguments->paper, "A folder of configs/papers, e.g. deployment")
      ->required();
  command->add_flag("--solve", arguments->solve,
                    "First solve the constants that the paper does not print; they are stored in "
                    "its runtime's file");
  command->add_flag("--write", arguments->write, "Also rewrite the table in the paper's README.md");
  command->add_option("--jobs", arguments->jobs, "Threads; 0 = all cores")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback([arguments, &session] { execute(*arguments, session); });
}

}  // namespace tradewind::tools
