#include "sim/report/html.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/report/assets.h"
#include "sim/report/comparison_page.h"
#include "sim/report/html_text.h"
#include "sim/report/labels.h"
#include "sim/report/page_data.h"
#include "sim/report/swept_overlaps.h"
#include "sim/report/verdict.h"
#include "sim/scenario/reader.h"

namespace tradewind::report {
namespace {

std::string finding_html(const Finding& finding) {
  std::string figures;
  for (const auto& [name, value] : finding.figures) {
    figures += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(value));
  }
  return fmt::format(
      "<article class=\"finding\"><h3>{}</h3><p "
      "class=\"plan\">{}</p><dl>{}</dl><p>{}</p></article>\n",
      escaped(finding.title), escaped(finding.plan), figures, escaped(finding.why));
}

std::string verdict_html(const study::SweepResults& results) {
  std::string html;
  for (const Finding& finding : findings(results)) html += finding_html(finding);
  if (html.empty()) html = "<p>No point of this sweep is feasible.</p>\n";
  return html;
}

/// What the points have in common, and what is swept.
std::string subject(const study::SweepResults& results) {
  std::string text;
  const auto append_common = [&](const auto& text_of) {
    if (results.points.empty()) return;
    const std::string common = text_of(results.points.front().scenario);
    for (const study::Point& point : results.points) {
      if (text_of(point.scenario) != common) return;
    }
    text += (text.empty() ? "" : " · ") + common;
  };
  append_common([](const scenario::Scenario& s) { return s.model->name; });
  append_common([](const scenario::Scenario& s) { return s.cluster->name; });
  append_common([](const scenario::Scenario& s) { return precision_label(s.precision); });
  append_common([](const scenario::Scenario& s) { return s.runtime->name; });
  append_common([](const scenario::Scenario& s) { return length_label(s.workload); });
  std::string swept;
  for (const std::string& axis : results.axes) swept += (swept.empty() ? "" : ", ") + axis;
  return swept.empty() ? text : fmt::format("{} · swept: {}", text, swept);
}

/// Nothing where the sweep has one strategy.
std::string overlap_html(const study::SweepResults& results) {
  const std::optional<study::Comparison> comparison = swept_overlaps(results);
  if (!comparison) return {};
  return fmt::format(
      "<section id=\"overlap\">\n<h2>What each overlap strategy hides</h2>\n{}</section>\n",
      comparison_section(*comparison));
}

std::string origin_html(const study::SweepResults& results, const ReportOrigin& origin) {
  const std::string stands_on = provenance_text(results);
  std::string html;
  const auto append = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(value));
  };
  append("Device time stands on", stands_on);
  append("Points", feasibility_text(results));
  append("Simulator", "tradewind " + origin.version);
  append("Command", origin.command_line);
  if (!results.points.empty()) {
    append("First point", to_json(results.points.front().scenario).dump());
  }
  return html;
}

}  // namespace

std::string html_report(const study::SweepResults& results, const ReportOrigin& origin) {
  const std::string title = results.name.empty() ? "Sweep" : results.name;
  std::string script;
  for (const std::string_view part :
       {data_js(), charts_js(), controls_js(), pivot_js(), points_js()}) {
    script += part;
  }
  return filled(page_html(), {{"title", escaped(title)},
                              {"subject", escaped(subject(results))},
                              {"verdict", verdict_html(results)},
                              {"overlap", overlap_html(results)},
                              {"origin", origin_html(results, origin)},
                              {"data", page_data(results)},
                              {"style", std::string(report_css())},
                              {"chart", std::string(chart_js())},
                              {"script", script}});
}

}  // namespace tradewind::report
