#include "validation/reproduce/fact_points.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/core/error.h"
#include "sim/scenario/reader.h"
#include "sim/study/parallel.h"
#include "sim/workload/run.h"
#include "validation/reproduce/quantities.h"

namespace tradewind::validation {
namespace {

/// A runtime given as an object keeps what it says beside its base.
nlohmann::json under(const std::string& scenario, const Variant& variant) {
  nlohmann::json json = nlohmann::json::parse(scenario);
  nlohmann::json& runtime = json["runtime"];
  (runtime.is_object() ? runtime["base"] : runtime) = variant.runtime;
  json["plan"]["memory_check"] = "report";
  if (variant.resident) json["plan"]["kv_accounting"] = "resident";
  return json;
}

void add_point(FactPoints& points, const Fact& fact, const nlohmann::json& json,
               scenario::Catalogue& catalogue) {
  const auto [point, is_new] = points.try_emplace(json.dump());
  if (!is_new) return;
  const std::string name = fact.experiment + ".json (fact " + fact.id + ")";
  point->second.scenario = scenario::read_scenario(json::Node(json, name, ""), catalogue);
}

std::optional<double> compared(Comparison comparison, double of, double over) {
  switch (comparison) {
    case Comparison::value:
      return of;
    case Comparison::ratio:
      return over > 0 ? std::optional(of / over) : std::nullopt;
    case Comparison::difference:
      return of - over;
    case Comparison::change_percent:
      return over > 0 ? std::optional(100 * (of / over - 1)) : std::nullopt;
    case Comparison::power_of_two:
      break;
  }
  if (of < 1) return 0;
  return std::exp2(std::floor(std::log2(of)));
}

}  // namespace

void add_points(FactPoints& points, const Fact& fact, const Variant& variant,
                scenario::Catalogue& catalogue) {
  add_point(points, fact, under(fact.of, variant), catalogue);
  if (!fact.over.empty()) add_point(points, fact, under(fact.over, variant), catalogue);
}

void simulate(FactPoints& points, int jobs) {
  std::vector<FactPoint*> all;
  for (auto& [text, point] : points) all.push_back(&point);
  tbb::task_arena arena(jobs > 0 ? jobs : tbb::task_arena::automatic);
  study::parallel_for(arena, all.size(),
                      [&](std::size_t i) { all[i]->result = workload::run(all[i]->scenario); });
}

Answer answer(const Fact& fact, const Variant& variant, const FactPoints& points) {
  const FactPoint& of = points.at(under(fact.of, variant).dump());
  const std::optional<double> value = quantity(fact.quantity, of.scenario, of.result);
  if (!compares_two(fact.comparison)) {
    // A batch limit asks what fits, not whether its own batch does.
    const bool fits = of.result.feasible || fact.comparison == Comparison::power_of_two;
    return {value ? compared(fact.comparison, *value, 0) : std::nullopt, fits};
  }
  const FactPoint& over = points.at(under(fact.over, variant).dump());
  const std::optional<double> base = quantity(fact.quantity, over.scenario, over.result);
  Answer answer;
  answer.fits = of.result.feasible && over.result.feasible;
  if (value && base) answer.value = compared(fact.comparison, *value, *base);
  return answer;
}

}  // namespace tradewind::validation
