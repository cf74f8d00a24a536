#pragma once

#include <string>
#include <vector>

#include "sim/scenario/catalogue.h"
#include "sim/scenario/scenario.h"

namespace CLI {
class App;
}

namespace tradewind::tools {

/// The scenario that a command line names, and the fields that its `--set` replaces.
struct ScenarioOption {
  std::string file;  ///< - for stdin
  std::vector<std::string> set;
};

void add_scenario_option(CLI::App& command, ScenarioOption& option);

/// Throws InputError.
scenario::Scenario load_scenario(const ScenarioOption& option, scenario::Catalogue& catalogue);

}  // namespace tradewind::tools
