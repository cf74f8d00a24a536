#include "validation/reproduce/reproduction.h"

#include <algorithm>
#include <cmath>

namespace tradewind::validation {
namespace {

/// `before`: the results of the facts before this one.
bool meets(const Fact& fact, const Answer& simulated, const std::vector<FactResult>& before) {
  if (!simulated.value) return false;
  if (fact.acceptance.rule != Acceptance::Rule::further_than) {
    return fact.acceptance.holds(*simulated.value, fact.published);
  }
  const auto other = std::find_if(before.begin(), before.end(), [&](const FactResult& result) {
    return result.fact->id == fact.acceptance.other;
  });
  const std::optional<double>& nearer = other->simulated.value;
  return nearer && *nearer * *simulated.value > 0 && std::abs(*simulated.value) > std::abs(*nearer);
}

Verdict judge(const Fact& fact, const Answer& simulated, const std::vector<FactResult>& before) {
  if (fact.acceptance.rule == Acceptance::Rule::none) return Verdict::shown;
  return meets(fact, simulated, before) ? Verdict::met : Verdict::missed;
}

}  // namespace

bool Reproduction::passed() const {
  return std::none_of(results.begin(), results.end(),
                      [](const FactResult& result) { return result.verdict == Verdict::missed; });
}

Reproduction reproduce(const Facts& facts, scenario::Catalogue& catalogue, int jobs) {
  const Variant paper{facts.runtime}, calibrated{facts.calibrated};
  const Variant resident{facts.runtime, true};
  FactPoints points;
  for (const Fact& fact : facts.facts) {
    add_points(points, fact, paper, catalogue);
    if (!facts.calibrated.empty()) add_points(points, fact, calibrated, catalogue);
    if (fact.resident) add_points(points, fact, resident, catalogue);
  }
  simulate(points, jobs);

  Reproduction reproduction;
  for (const Fact& fact : facts.facts) {
    FactResult result;
    result.fact = &fact;
    result.simulated = answer(fact, paper, points);
    if (!facts.calibrated.empty()) result.calibrated = answer(fact, calibrated, points);
    if (fact.resident) result.resident = answer(fact, resident, points);
    result.verdict = judge(fact, result.simulated, reproduction.results);
    reproduction.results.push_back(result);
  }
  return reproduction;
}

}  // namespace tradewind::validation
