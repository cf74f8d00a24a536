#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a paper published, as data: each figure with the experiment it belongs to, how it follows
/// from simulated quantities, and how far from it a reproduction may be
/// (configs/papers/*/facts.json).
namespace tradewind::validation {

/// How a published number follows from a quantity q of one or two scenarios.
enum class Comparison {
  value,           ///< q(of)
  ratio,           ///< q(of) / q(over)
  difference,      ///< q(of) - q(over)
  change_percent,  ///< 100 (q(of) / q(over) - 1)
  power_of_two,    ///< largest power of two not above q(of)
};
/// Whether there is an `over` to compare with.
constexpr bool compares_two(Comparison comparison) {
  return comparison != Comparison::value && comparison != Comparison::power_of_two;
}

/// When a simulated number meets a published one. `none`: shown beside it, not judged.
struct Acceptance {
  enum class Rule {
    none,
    within_percent,
    within_points,
    at_least,
    at_most,
    further_than,  ///< farther from zero, on the same side, than what `other` comes to
  };
  Rule rule = Rule::none;
  double bound = 0;   ///< percent of the published number, its own unit, or the limit itself
  std::string other;  ///< id of a fact before this one, for further_than

  /// REQUIRES: the rule is not further_than, which needs the other fact (judge, reproduction.cpp).
  bool holds(double simulated, double published) const;
  /// How far from the published number is still within; 0 for limits and for `none`.
  double tolerance(double published) const;
};

struct Fact {
  std::string id;
  std::string claim;       ///< in words, for the table
  std::string experiment;  ///< the sweep beside the facts file whose base `of` and `over` change
  std::string quantity;    ///< quantities.h
  Comparison comparison = Comparison::ratio;
  std::string of, over;  ///< scenarios as JSON text; `over` is empty where nothing is compared
  double published = 0;
  bool limit = false;  ///< the paper gives a limit ("at most", as the rule), not a figure
  Acceptance acceptance;
  /// Worth a second answer with every sequence in flight holding its KV cache.
  bool resident = false;
  std::string note;
};

/// What is known of a rate before any fact is asked: weighs as one more fact whose tolerance is
/// `width`. It decides what the facts leave open.
struct KnownRate {
  std::string rate;  ///< rate_names()
  double value = 0;
  double width = 0;
  std::string source;
};

/// The constants that papers do not print: the shares of the datasheet's matrix rate, of HBM
/// bandwidth and of the links, and the latency of a kernel in microseconds.
const std::vector<std::string>& rate_names();

struct Facts {
  std::string source;
  std::string runtime;                    ///< with the paper's assumptions
  std::string calibrated;                 ///< fitted to silicon, shown beside it; empty = none is
  std::vector<std::string> solved_rates;  ///< of the runtime, of rate_names()
  std::vector<std::string> solved_from;   ///< ids of the facts that decide them
  std::vector<KnownRate> known_rates;
  std::vector<Fact> facts;

  /// Whether any fact wants a second answer with the KV cache in flight.
  bool shows_resident() const;

  /// REQUIRES: there is a fact of that id.
  const Fact& find(std::string_view id) const;
};

/// Strict; `file` names the text in errors and is what the experiments lie beside. `of` and `over`
/// are objects of dotted paths and values, as the axes of a sweep. Throws InputError.
Facts read_facts(std::string_view text, const std::string& file);

}  // namespace tradewind::validation
