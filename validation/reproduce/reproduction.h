#pragma once

#include <optional>
#include <vector>

#include "sim/scenario/catalogue.h"
#include "validation/reproduce/fact_points.h"
#include "validation/reproduce/facts.h"

namespace tradewind::validation {

enum class Verdict { met, missed, shown };

/// One published figure and what the simulator makes of it.
struct FactResult {
  const Fact* fact = nullptr;
  Answer simulated;                  ///< with the paper's assumptions: what the verdict is about
  std::optional<Answer> calibrated;  ///< with the runtime fitted to silicon
  std::optional<Answer> resident;    ///< the paper's assumptions, but for the KV cache in flight
  Verdict verdict = Verdict::shown;
};

struct Reproduction {
  std::vector<FactResult> results;  ///< in the order of the facts

  bool passed() const;
};

/// Every fact, its points simulated on `jobs` threads (0 = all cores). The results refer to
/// `facts`.
Reproduction reproduce(const Facts& facts, scenario::Catalogue& catalogue, int jobs);

}  // namespace tradewind::validation
