#include "sim/report/outcome.h"

#include <fmt/format.h>

#include "sim/report/assets.h"
#include "sim/report/html_text.h"
#include "sim/report/labels.h"
#include "sim/report/number_text.h"

namespace tradewind::report {
namespace {

std::string figures_html(std::span<const OutcomeFigure> figures, const workload::Metrics& metrics) {
  std::string html;
  for (const OutcomeFigure& figure : figures) {
    const std::optional<double>& value = metrics.*figure.member;
    if (!value) continue;
    html += fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", figure.label,
                        short_number(*value * figure.scale), figure.unit);
  }
  return html;
}

std::string notes_html(const workload::Result& result) {
  std::string html;
  if (!result.feasible) {
    html += fmt::format("<p class=\"note\"><strong>Infeasible: {}</strong></p>\n",
                        escaped(result.reason));
  }
  for (const std::string& note : result.notes) {
    html += fmt::format("<p class=\"note\">{}</p>\n", escaped(note));
  }
  return html;
}

}  // namespace

std::string outcome_section(std::span<const OutcomeFigure> figures,
                            const workload::Result& result) {
  return filled(outcome_html(), {{"figures", figures_html(figures, result.metrics)},
                                 {"notes", notes_html(result)}});
}

std::string outcome_subject(const scenario::Scenario& scenario) {
  return fmt::format("{} · {} · {} · {}", system_label(scenario), scenario.cluster->name,
                     plan_label(scenario.plan), workload_label(scenario.workload));
}

}  // namespace tradewind::report
