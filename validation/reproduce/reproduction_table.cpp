#include "validation/reproduce/reproduction_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/core/error.h"

namespace tradewind::validation {
namespace {

constexpr std::string_view kDoesNotFit = "\u2020";  // dagger
constexpr std::size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;

std::string number(const Fact& fact, double value) {
  switch (fact.comparison) {
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
    case Acceptance::Rule::within_percent:
      return fmt::format("{:g} %", bound);
    case Acceptance::Rule::within_points:
      break;
  }
  return bound > 0 ? fmt::format("{:g} points", bound) : "exact";
}

std::string shown(const Fact& fact, const Answer& answer) {
  if (!answer.value) return "-";
  return number(fact, *answer.value) + std::string(answer.fits ? "" : kDoesNotFit);
}

std::string_view to_string(Verdict verdict) {
  if (verdict == Verdict::shown) return "shown";
  return verdict == Verdict::met ? "met" : "MISSED";
}

Row heading(const Facts& facts) {
  return {"figure",
          "published",
          "tolerance",
          "`" + facts.runtime + "`",
          "verdict",
          "KV resident",
          "`" + facts.calibrated + "`"};
}

Row row(const FactResult& result) {
  const Fact& fact = *result.fact;
  return {fact.claim,
          published(fact),
          tolerance(fact),
          shown(fact, result.simulated),
          std::string(to_string(result.verdict)),
          result.resident ? shown(fact, *result.resident) : "",
          shown(fact, result.calibrated)};
}

/// Letters, not bytes: the mark takes three bytes in UTF-8.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string plain(const Row& cells, const std::array<std::size_t, kColumns>& widths) {
  std::string line;
  for (std::size_t i = 0; i < kColumns; ++i) {
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
  for (const FactResult& result : reproduction.results) rows.push_back(row(result));
  std::array<std::size_t, kColumns> widths{};
  for (const Row& cells : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], width(cells[i]));
  }
  std::string text;
  for (const Row& cells : rows) text += plain(cells, widths);
  return text + fmt::format("{}; {} does not fit in memory, simulated all the same\n",
                            count_line(reproduction), kDoesNotFit);
}

std::string reproduction_markdown(const Facts& facts, const Reproduction& reproduction) {
  std::string text = markdown(heading(facts)) + "|---|--:|--:|--:|---|--:|--:|\n";
  for (const FactResult& result : reproduction.results) {
    Row cells = row(result);
    if (!result.fact->note.empty()) cells[0] += " (" + result.fact->note + ")";
    text += markdown(cells);
  }
  return text + fmt::format("\n{}. {}: does not fit in memory, simulated all the same.\n",
                            count_line(reproduction), kDoesNotFit);
}

std::string solved_rates_table(const SolvedRates& rates) {
  std::string text =
      fmt::format("matrix_share      {:>8g}\nhbm_share         {:>8g}\nkernel_latency_us {:>8g}\n",
                  rates.matrix_share, rates.hbm_share, rates.kernel_latency_us);
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
