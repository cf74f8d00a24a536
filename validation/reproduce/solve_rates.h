#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/catalogue.h"
#include "validation/reproduce/facts.h"

namespace tradewind::validation {

/// The constants that a paper does not print, as its own figures imply them.
struct SolvedRates {
  struct Rate {
    std::string name;  ///< of rate_names()
    double value = 0;  ///< a share in (0, 1], or a latency in microseconds
  };
  std::vector<Rate> rates;  ///< those that the facts name, in their order

  struct Residual {
    std::string fact;
    double published = 0, simulated = 0;
    double tolerances = 0;  ///< (simulated - published) in units of the fact's tolerance
  };
  std::vector<Residual> residuals;  ///< one per fact, with the rates as rounded

  /// REQUIRES: there is a rate of that name.
  double rate(std::string_view name) const;
};

/// Least squares, over `facts.solved_rates` of `facts.runtime`, of the residuals of
/// `facts.solved_from` and of the distances from `facts.known_rates`, each in units of its
/// tolerance or width. Rounded to three digits: published figures decide no more. Starts from fixed
/// values, so that it finds the same again whatever the runtime's file says.
SolvedRates solve_rates(const Facts& facts, scenario::Catalogue& catalogue, int jobs);

/// The runtime file `text` with those of its `rates` replaced, each of provenance `fitted` with
/// `source` and the residuals that are left. Throws InputError when the text is not an object.
std::string with_solved_rates(std::string_view text, const std::string& file,
                              const SolvedRates& rates, const std::string& source);

}  // namespace tradewind::validation
