#include "sim/report/html.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/report/assets.h"
#include "sim/report/comparison_page.h"
#include "sim/report/frame.h"
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
  std::string html;
  const std::string stands_on = provenance_text(results);
  if (!stands_on.empty()) html += origin_line("Device time stands on", stands_on);
  html += origin_line("Points", feasibility_text(results)) + origin_lines(origin);
  if (results.points.empty()) return html;
  return html + origin_line("First point", to_json(results.points.front().scenario).dump());
}

}  // namespace

std::string html_report(const study::SweepResults& results, const ReportOrigin& origin) {
  Frame frame;
  frame.title = results.name.empty() ? "Sweep" : results.name;
  frame.subject = subject(results);
  frame.body =
      filled(page_html(), {{"verdict", verdict_html(results)}, {"overlap", overlap_html(results)}});
  frame.origin = origin_html(results, origin);
  frame.data = page_data(results);
  for (const std::string_view part :
       {data_js(), charts_js(), controls_js(), pivot_js(), points_js()}) {
    frame.script += part;
  }
  return framed(frame);
}

}  // namespace tradewind::report
