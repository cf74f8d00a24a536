#include "tools/known_results.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/report/result_json.h"
#include "sim/scenario/reader.h"

namespace tradewind::tools {

void KnownResults::add(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return;
  const nlohmann::json::json_pointer version("/simulator/version");
  std::istringstream lines(read_file(file));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_discarded()) {
      if (lines.peek() == EOF) return;
      throw InputError(fmt::format("{}:{}", file.string(), number), "", "is not JSON");
    }
    if (json.value(version, "") != TRADEWIND_VERSION) continue;
    const json::Node node(json, fmt::format("{}:{}", file.string(), number), "");
    by_scenario_[json.at("scenario").dump()] = report::result_from_json(node);
  }
}

bool KnownResults::find(const scenario::Scenario& scenario, workload::Result& result) const {
  if (by_scenario_.empty()) return false;
  const nlohmann::json key = scenario::to_json(scenario);
  const auto found = by_scenario_.find(key.dump());
  if (found == by_scenario_.end()) return false;
  result = found->second;
  return true;
}

}  // namespace tradewind::tools
