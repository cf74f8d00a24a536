#include "validation/reproduce/reproduction.h"

#include <algorithm>

namespace tradewind::validation {
namespace {

Verdict judge(const Fact& fact, const Answer& simulated) {
  if (fact.acceptance.rule == Acceptance::Rule::none) return Verdict::shown;
  const bool met = simulated.value && fact.acceptance.holds(*simulated.value, fact.published);
  return met ? Verdict::met : Verdict::missed;
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
    add_points(points, fact, calibrated, catalogue);
    if (fact.resident) add_points(points, fact, resident, catalogue);
  }
  simulate(points, jobs);

  Reproduction reproduction;
  for (const Fact& fact : facts.facts) {
    FactResult result;
    result.fact = &fact;
    result.simulated = answer(fact, paper, points);
    result.calibrated = answer(fact, calibrated, points);
    if (fact.resident) result.resident = answer(fact, resident, points);
    result.verdict = judge(fact, result.simulated);
    reproduction.results.push_back(result);
  }
  return reproduction;
}

}  // namespace tradewind::validation
