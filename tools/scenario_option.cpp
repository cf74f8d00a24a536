#include "tools/scenario_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/scenario/reader.h"

namespace tradewind::tools {
namespace {

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

}  // namespace

void add_scenario_option(CLI::App& command, ScenarioOption& option) {
  command.add_option("scenario", option.file, "Scenario file (- for stdin)")->required();
  command.add_option("--set", option.set, "PATH=VALUE, replaces one field; may be repeated")
      ->take_all()
      ->expected(1)
      ->type_name("PATH=VALUE");
}

scenario::Scenario load_scenario(const ScenarioOption& option, scenario::Catalogue& catalogue) {
  nlohmann::json document = json::Document::load(option.file).value();
  if (!document.is_object()) throw InputError(option.file, "/", "expected a scenario object");
  for (const std::string& setting : option.set) apply(document, setting);
  const std::string name = option.file == "-" ? "stdin" : option.file;
  return scenario::read_scenario(json::Node(document, name, ""), catalogue);
}

}  // namespace tradewind::tools
