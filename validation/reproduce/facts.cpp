#include "validation/reproduce/facts.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/json/reader.h"
#include "sim/scenario/reader.h"
#include "sim/study/sweep.h"
#include "validation/reproduce/quantities.h"

namespace tradewind::validation {
namespace {
namespace fs = std::filesystem;

const std::vector<std::string> kComparisons = {"value", "ratio", "difference", "change_percent",
                                               "power_of_two"};
const std::vector<std::string> kRules = {"none",     "within_percent", "within_points",
                                         "at_least", "at_most",        "further_than"};

template <class Enum>
Enum enumerator(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// The experiments' base scenarios, each read once.
class Experiments {
 public:
  explicit Experiments(fs::path folder) : folder_(std::move(folder)) {}

  const nlohmann::json& base(const json::Node& name) {
    const std::string experiment = name.string();
    const auto found = bases_.find(experiment);
    if (found != bases_.end()) return found->second;
    const fs::path file = folder_ / (experiment + ".json");
    if (experiment.find('/') != std::string::npos || !fs::exists(file)) {
      name.fail("there is no sweep \"" + experiment + ".json\" beside the facts");
    }
    const study::Sweep sweep = study::read_sweep(read_file(file), file.string());
    return bases_.emplace(experiment, nlohmann::json::parse(sweep.base)).first->second;
  }

 private:
  fs::path folder_;
  std::map<std::string, nlohmann::json> bases_;
};

std::string read_point(const json::Node& changes, nlohmann::json base) {
  if (!changes.is_object()) changes.expected("an object of dotted paths and values");
  for (const auto& [path, value] : changes.value().items()) {
    scenario::set_path(base, path, value, changes.file());
  }
  return base.dump();
}

/// `before`: ids of the facts that can be compared with.
Acceptance read_acceptance(const json::Node& node, std::span<const std::string> before) {
  const std::vector<std::string> keys = node.keys();
  if (keys.size() != 1) node.fail("one rule is expected, such as {\"within_percent\": 6}");
  const json::Node bound = *node.find(keys.front());
  if (std::find(kRules.begin() + 1, kRules.end(), keys.front()) == kRules.end()) {
    node.fail(unknown_name("rule", keys.front(), std::vector(kRules.begin() + 1, kRules.end())));
  }
  Acceptance acceptance;
  acceptance.rule = enumerator<Acceptance::Rule>(kRules, keys.front());
  if (acceptance.rule == Acceptance::Rule::further_than) {
    acceptance.other = bound.name("fact before this one", before);
    return acceptance;
  }
  const bool is_tolerance = acceptance.rule == Acceptance::Rule::within_percent ||
                            acceptance.rule == Acceptance::Rule::within_points;
  acceptance.bound = bound.number(is_tolerance ? json::kNotNegative : json::kAnyNumber);
  return acceptance;
}

Fact read_fact(const json::Node& node, Experiments& experiments,
               std::span<const std::string> before) {
  json::ObjectReader reader(node);
  Fact fact;
  fact.id = reader.required("id").string();
  fact.claim = reader.required("claim").string();
  const json::Node experiment = reader.required("experiment");
  const nlohmann::json& base = experiments.base(experiment);
  fact.experiment = experiment.string();
  fact.quantity = reader.required("quantity").name("quantity", quantity_names());
  fact.comparison = enumerator<Comparison>(
      kComparisons, reader.required("comparison").name("comparison", kComparisons));
  fact.of = read_point(reader.required("of"), base);
  if (compares_two(fact.comparison)) fact.over = read_point(reader.required("over"), base);
  fact.published = reader.required("published").number();
  fact.limit = reader.boolean("limit", false);
  if (const auto accept = reader.optional("accept")) {
    fact.acceptance = read_acceptance(*accept, before);
  }
  fact.resident = reader.boolean("resident", false);
  fact.note = reader.string("note", "");
  reader.finish();
  return fact;
}

KnownRate read_known_rate(const std::string& rate, const json::Node& node) {
  json::ObjectReader reader(node);
  KnownRate known{rate, reader.required("value").number(json::kNotNegative),
                  reader.required("width").number(json::kPositive),
                  reader.required("source").string()};
  reader.finish();
  return known;
}

/// What the runtime's rates are solved from: facts that can be weighed, and what is known before.
void read_solve(const json::Node& node, std::span<const std::string> ids, Facts& facts) {
  json::ObjectReader reader(node);
  for (const json::Node& rate : reader.required("rates").elements()) {
    facts.solved_rates.push_back(rate.name("rate", rate_names()));
  }
  for (const json::Node& id : reader.required("facts").elements()) {
    const Fact& fact = facts.find(id.name("fact", ids));
    if (!(fact.acceptance.tolerance(fact.published) > 0)) {
      id.fail("a fact that rates are solved from needs a tolerance above 0");
    }
    facts.solved_from.push_back(fact.id);
  }
  if (const auto known = reader.optional("known_before")) {
    json::ObjectReader rates(*known);
    for (const std::string& rate : facts.solved_rates) {
      const auto value = rates.optional(rate);
      if (value) facts.known_rates.push_back(read_known_rate(rate, *value));
    }
    rates.finish();
  }
  reader.finish();
}

}  // namespace

const std::vector<std::string>& rate_names() {
  static const std::vector<std::string> kNames = {"matrix_share", "hbm_share", "link_share",
                                                  "kernel_latency_us"};
  return kNames;
}

double Acceptance::tolerance(double published) const {
  if (rule == Rule::within_percent) return bound / 100 * std::abs(published);
  return rule == Rule::within_points ? bound : 0;
}

bool Acceptance::holds(double simulated, double published) const {
  switch (rule) {
    case Rule::none:
      return true;
    case Rule::at_least:
      return simulated >= bound;
    case Rule::at_most:
      return simulated <= bound;
    default:
      return std::abs(simulated - published) <= tolerance(published);
  }
}

bool Facts::shows_resident() const {
  return std::any_of(facts.begin(), facts.end(), [](const Fact& fact) { return fact.resident; });
}

const Fact& Facts::find(std::string_view id) const {
  return *std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.id == id; });
}

Facts read_facts(std::string_view text, const std::string& file) {
  const json::Document document = json::Document::parse(text, file);
  json::ObjectReader reader(document.root());
  for (const char* known : {"$schema", "description"}) reader.ignore(known);
  Facts facts;
  facts.source = reader.required("source").string();
  facts.runtime = reader.required("runtime").string();
  facts.calibrated = reader.string("calibrated", "");
  Experiments experiments(fs::path(file).parent_path());
  std::vector<std::string> ids;
  for (const json::Node& node : reader.required("facts").elements()) {
    facts.facts.push_back(read_fact(node, experiments, ids));
    const std::string& id = facts.facts.back().id;
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) {
      node.fail("a second fact is called \"" + id + "\"");
    }
    ids.push_back(id);
  }
  read_solve(reader.required("solve"), ids, facts);
  reader.finish();
  return facts;
}

}  // namespace tradewind::validation
