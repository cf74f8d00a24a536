#include "sim/report/comparison_page.h"

#include <fmt/format.h>

#include "sim/report/block_picture.h"
#include "sim/report/comparison_text.h"
#include "sim/report/frame.h"
#include "sim/report/html_text.h"
#include "sim/report/labels.h"

namespace tradewind::report {
namespace {

using study::Compared;
using study::Comparison;

constexpr int kRanksDrawn = 2;

std::string plan_of(const Comparison& comparison) {
  scenario::Plan plan = comparison.strategies[comparison.reference].scenario.plan;
  plan.overlap = {};
  return plan_label(plan);
}

std::string table_html(const Comparison& comparison) {
  std::string html = "<div class=\"scroll\"><table class=\"comparison\"><thead><tr><th></th>";
  for (const Compared& compared : comparison.strategies) {
    html += fmt::format("<th>{}</th>", escaped(compared.label));
  }
  html += "</tr></thead><tbody>\n";
  for (const ComparisonRow& row : comparison_rows(comparison)) {
    if (row.cells.empty()) {
      html += fmt::format("<tr class=\"group\"><th colspan=\"{}\">{}</th></tr>\n",
                          comparison.strategies.size() + 1, escaped(row.title));
      continue;
    }
    html += fmt::format("<tr><th>{}</th>", escaped(row.title));
    for (const std::string& cell : row.cells) html += fmt::format("<td>{}</td>", escaped(cell));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string picture_html(const Comparison& comparison) {
  std::vector<NamedTimeline> timelines;
  std::string html;
  for (const Compared& compared : comparison.strategies) {
    const std::string reason = structural_reason(one_block(compared.scenario));
    if (reason.empty()) {
      timelines.push_back({compared.label, block_timeline(compared.scenario, kRanksDrawn)});
    } else {
      html += fmt::format("<p class=\"note\">{} is not drawn: {}</p>\n", escaped(compared.label),
                          escaped(reason));
    }
  }
  if (timelines.empty()) return html;
  const scenario::Scenario block = one_block(comparison.strategies[comparison.reference].scenario);
  html += fmt::format(
      "<h3>{}, the first two ranks of {}</h3>\n"
      "<p class=\"note\">As the engine ran it, all on one time axis. Colours and numbers are the "
      "slices in the order of their rows; grey is not taken apart. Hover over a bar for its kernel "
      "and times. The red line is the end.</p>\n<div class=\"scroll\">{}</div>\n",
      escaped(workload_label(block.workload)), block.plan.group(), block_picture(timelines));
  return html;
}

}  // namespace

std::string comparison_section(const Comparison& comparison) {
  const Compared& reference = comparison.strategies[comparison.reference];
  std::string html = fmt::format(
      "<p class=\"note\">{}; {}. Reductions against {}. Each line with a plus is what a pass takes "
      "longer once the engine also counts it, after those above it.</p>\n",
      escaped(plan_of(comparison)), escaped(workload_label(reference.scenario.workload)),
      escaped(reference.label));
  html += table_html(comparison);
  for (const std::string& remark : comparison_remarks(comparison)) {
    html += fmt::format("<p class=\"note\">{}</p>\n", escaped(remark));
  }
  return html + picture_html(comparison);
}

std::string comparison_page(const Comparison& comparison, const ReportOrigin& origin) {
  const scenario::Scenario& scenario = comparison.strategies[comparison.reference].scenario;
  Frame frame;
  frame.title = scenario.name.empty() ? "Overlap strategies" : scenario.name;
  frame.subject = fmt::format("{} · {}", system_label(scenario), scenario.cluster->name);
  frame.body = fmt::format(
      "<section id=\"overlap\">\n<h2>Overlap strategies side by side</h2>\n{}</section>\n",
      comparison_section(comparison));
  frame.origin = origin_lines(origin, scenario);
  return framed(frame);
}

}  // namespace tradewind::report
