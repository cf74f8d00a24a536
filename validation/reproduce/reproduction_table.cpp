#include "validation/reproduce/reproduction_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/core/error.h"

namespace tradewind::validation {
namespace {

constexpr std::string_view kDoesNotFit = "\u2020";  // dagger
using Row = std::vector<std::string>;

std::string_view unit(const Fact& fact) {
  return std::string_view(fact.quantity).ends_with("_ms") ? " ms" : "";
}

std::string number(const Fact& fact, double value) {
  switch (fact.comparison) {
    case Comparison::value:
      return fmt::format("{:.1f}{}", value, unit(fact));
    case Comparison::difference:
      return fmt::format("{:+.1f}{}", value, unit(fact));
    case Comparison::ratio:
      return fmt::format("{:.2f}x", value);
    case Comparison::change_percent:
      return fmt::format("{:+.1f} %", value);
    case Comparison::power_of_two:
      break;
  }
  return fmt::format("{:.0f}", value);
}

std::string published(const Fact& fact) {
  const std::string text = number(fact, fact.published);
  if (!fact.limit) return text;
  if (fact.acceptance.rule == Acceptance::Rule::at_least) return "at least " + text;
  if (fact.acceptance.rule == Acceptance::Rule::at_most) return "at most " + text;
  return text;
}

std::string tolerance(const Fact& fact) {
  const double bound = fact.acceptance.bound;
  switch (fact.acceptance.rule) {
    case Acceptance::Rule::none:
      return "-";
    case Acceptance::Rule::at_least:
      return "at least " + number(fact, bound);
    case Acceptance::Rule::at_most:
      return "at most " + number(fact, bound);
    case Acceptance::Rule::further_than:
      return "further than " + fact.acceptance.other;
    case Acceptance::Rule::within_percent:
      return fmt::format("{:g} %", bound);
    case Acceptance::Rule::within_points:
      break;
  }
  return bound > 0 ? fmt::format("{:g} points", bound) : "exact";
}

std::string shown(const Fact& fact, const std::optional<Answer>& answer) {
  if (!answer) return "";
  if (!answer->value) return "-";
  return number(fact, *answer->value) + std::string(answer->fits ? "" : kDoesNotFit);
}

std::string_view to_string(Verdict verdict) {
  if (verdict == Verdict::shown) return "shown";
  return verdict == Verdict::met ? "met" : "MISSED";
}

/// Columns that no fact of the paper fills are left out.
Row heading(const Facts& facts) {
  Row cells = {"figure", "published", "tolerance", "`" + facts.runtime + "`", "verdict"};
  if (facts.shows_resident()) cells.emplace_back("KV resident");
  if (!facts.calibrated.empty()) cells.push_back("`" + facts.calibrated + "`");
  return cells;
}

Row row(const Facts& facts, const FactResult& result) {
  const Fact& fact = *result.fact;
  Row cells = {fact.claim, published(fact), tolerance(fact), shown(fact, result.simulated),
               std::string(to_string(result.verdict))};
  if (facts.shows_resident()) cells.push_back(shown(fact, result.resident));
  if (!facts.calibrated.empty()) cells.push_back(shown(fact, result.calibrated));
  return cells;
}

/// Words to the left, numbers to the right.
std::string rule_below(const Row& heading) {
  std::string line = "|";
  for (const std::string& cell : heading) {
    line += cell == "figure" || cell == "verdict" ? "---|" : "--:|";
  }
  return line + "\n";
}

/// Letters, not bytes: the mark takes three bytes in UTF-8.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string plain(const Row& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - width(cells[i]), ' ');
    line += i == 0 ? cells[i] + padding : "  " + padding + cells[i];
  }
  return line + "\n";
}

std::string markdown(const Row& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

bool fits_everywhere(const Reproduction& reproduction) {
  const auto fits = [](const std::optional<Answer>& answer) { return !answer || answer->fits; };
  return std::all_of(
      reproduction.results.begin(), reproduction.results.end(), [&](const FactResult& result) {
        return fits(result.simulated) && fits(result.calibrated) && fits(result.resident);
      });
}

std::string count_line(const Reproduction& reproduction) {
  const auto count = [&](Verdict verdict) {
    return std::count_if(reproduction.results.begin(), reproduction.results.end(),
                         [&](const FactResult& result) { return result.verdict == verdict; });
  };
  return fmt::format("{} met, {} missed, {} shown without a tolerance", count(Verdict::met),
                     count(Verdict::missed), count(Verdict::shown));
}

}  // namespace

std::string reproduction_table(const Facts& facts, const Reproduction& reproduction) {
  std::vector<Row> rows = {heading(facts)};
  for (const FactResult& result : reproduction.results) rows.push_back(row(facts, result));
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& cells : rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], width(cells[i]));
  }
  std::string text;
  for (const Row& cells : rows) text += plain(cells, widths);
  text += count_line(reproduction);
  if (fits_everywhere(reproduction)) return text + "\n";
  return text + fmt::format("; {} does not fit in memory, simulated all the same\n", kDoesNotFit);
}

std::string reproduction_markdown(const Facts& facts, const Reproduction& reproduction) {
  std::string text = markdown(heading(facts)) + rule_below(heading(facts));
  for (const FactResult& result : reproduction.results) {
    Row cells = row(facts, result);
    if (!result.fact->note.empty()) cells[0] += " (" + result.fact->note + ")";
    text += markdown(cells);
  }
  text += fmt::format("\n{}.", count_line(reproduction));
  if (fits_everywhere(reproduction)) return text + "\n";
  return text + fmt::format(" {}: does not fit in memory, simulated all the same.\n", kDoesNotFit);
}

std::string solved_rates_table(const SolvedRates& rates) {
  std::string text;
  for (const SolvedRates::Rate& rate : rates.rates) {
    text += fmt::format("{:<17} {:>8g}\n", rate.name, rate.value);
  }
  for (const SolvedRates::Residual& residual : rates.residuals) {
    text += fmt::format("{}: published {:g}, simulated {:.4g}, {:+.2f} tolerances\n", residual.fact,
                        residual.published, residual.simulated, residual.tolerances);
  }
  return text;
}

std::string with_generated_block(std::string_view page, const std::string& file,
                                 const std::string& name, std::string_view block) {
  const std::string begin = fmt::format("<!-- generated: {} -->\n", name);
  const std::string end = fmt::format("<!-- end of {} -->", name);
  const std::size_t from = page.find(begin);
  const std::size_t to = page.find(end, from == std::string_view::npos ? 0 : from);
  if (from == std::string_view::npos || to == std::string_view::npos) {
    throw InputError(file, "",
                     fmt::format("has no lines \"{}\" and \"{}\" to write between",
                                 begin.substr(0, begin.size() - 1), end));
  }
  return fmt::format("{}{}{}", page.substr(0, from + begin.size()), block, page.substr(to));
}

}  // namespace tradewind::validation
