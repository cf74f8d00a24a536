#include "validation/validation_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/report/frame.h"
#include "sim/report/html_text.h"
#include "sim/report/labels.h"
#include "sim/report/number_text.h"
#include "validation/assets.h"
#include "validation/page_data.h"

namespace tradewind::validation {
namespace {

using report::escaped;

constexpr std::size_t kWorstShown = 12;
constexpr std::size_t kKernelsShown = 6;

std::string signed_percent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

/// Every figure of a trace, by split.
std::string findings_html(const Validation& validation) {
  std::vector<PointError> all;
  for (PointError error : validation.errors) {
    if (!error.tolerance) continue;
    error.group = error.metric = "all";
    all.push_back(std::move(error));
  }
  std::string html;
  for (const GroupError& one : group_errors(all)) {
    html += fmt::format(
        "<article class=\"finding\"><h3>{} figures to {}</h3><p class=\"plan\">MAPE {:.1f} "
        "%</p><dl>"
        "<div><dt>median</dt><dd>{:.1f} %</dd></div><div><dt>90th percentile</dt><dd>{:.1f} "
        "%</dd></div><div><dt>bias</dt><dd>{}</dd></div></dl></article>\n",
        one.points, escaped(one.split), 100 * one.mape, 100 * one.median_ape, 100 * one.p90_ape,
        signed_percent(one.bias));
  }
  return html;
}

std::string groups_html(const Validation& validation) {
  std::string html =
      "<table class=\"figures\"><thead><tr><th>group</th><th class=\"text\">metric</th><th "
      "class=\"text\">split</th><th>points</th><th>MAPE %</th><th>median %</th><th>bias "
      "%</th><th>90th percentile %</th><th>Spearman</th></tr></thead><tbody>\n";
  for (const GroupError& group : validation.groups) {
    html += fmt::format(
        "<tr><td>{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td><td>{}</td>"
        "<td>{:.1f}</td><td>{:.1f}</td><td>{:+.1f}</td><td>{:.1f}</td><td>{}</td></tr>\n",
        escaped(group.group), escaped(group.metric), group.split, group.points, 100 * group.mape,
        100 * group.median_ape, 100 * group.bias, 100 * group.p90_ape,
        group.spearman ? fmt::format("{:.3f}", *group.spearman) : "-");
  }
  return html + "</tbody></table>";
}

std::string breakdown_html(const workload::Result& result) {
  if (result.breakdown.empty()) return {};
  std::string html =
      "<table class=\"figures\"><thead><tr><th>kernel</th><th>ms</th><th>share</th><th "
      "class=\"text\">bound</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(result.breakdown.size(), kKernelsShown); ++i) {
    const workload::BreakdownRow& row = result.breakdown[i];
    html += fmt::format("<tr><td>{} {}</td><td>{}</td><td>{}</td><td class=\"text\">{}</td></tr>\n",
                        escaped(row.phase), escaped(row.kernel), report::short_number(row.time_ms),
                        report::percent(row.share), kernels::to_string(row.bound));
  }
  return html + "</tbody></table>";
}

std::string provenance_html(const workload::Result& result) {
  const double all = std::accumulate(result.provenance_ms.begin(), result.provenance_ms.end(), 0.0);
  if (all <= 0) return {};
  std::string text;
  for (std::size_t i = 0; i < kProvenanceCount; ++i) {
    if (result.provenance_ms[i] <= 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        report::percent(result.provenance_ms[i] / all), kProvenanceNames[i]);
  }
  return fmt::format("<p class=\"note\">Stands on: {}.</p>", text);
}

std::string worst_point_html(const PointError& error, const TracePoint& point,
                             const workload::Result& result) {
  const std::string answer =
      error.simulated   ? fmt::format("{} simulated ({})", report::short_number(*error.simulated),
                                      signed_percent(error.relative_error))
      : result.feasible ? std::string("no answer")
                        : "infeasible: " + escaped(result.reason);
  return fmt::format(
      "<article><h3>{}</h3><p>{}: {} measured, {}</p><p class=\"note\">{} on {}, {}; {}. {}</p>{}{}"
      "</article>\n",
      escaped(error.id), escaped(error.metric), report::short_number(error.measured), answer,
      escaped(report::system_label(point.scenario)), escaped(point.scenario.cluster->name),
      escaped(report::plan_label(point.scenario.plan)),
      escaped(report::workload_label(point.scenario.workload)), escaped(point.source),
      breakdown_html(result), provenance_html(result));
}

std::string worst_html(const Validation& validation) {
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < validation.points.size(); ++i) place[validation.points[i].id] = i;
  std::vector<const PointError*> errors;
  for (const PointError& error : validation.errors) {
    if (error.tolerance && place.contains(error.id)) errors.push_back(&error);
  }
  std::stable_sort(errors.begin(), errors.end(), [](const PointError* a, const PointError* b) {
    return std::abs(a->relative_error) > std::abs(b->relative_error);
  });
  std::string html = "<div class=\"worst\">\n";
  for (std::size_t i = 0; i < std::min(errors.size(), kWorstShown); ++i) {
    const std::size_t point = place.at(errors[i]->id);
    html += worst_point_html(*errors[i], validation.points[point], validation.results[point]);
  }
  return html + "</div>\n";
}

std::string skipped_html(const Validation& validation) {
  std::map<std::string, std::size_t> count_by_reason;
  for (const Skipped& one : validation.skipped) ++count_by_reason[one.reason];
  if (count_by_reason.empty()) return {};
  std::string html = "<section><h2>Skipped</h2>\n";
  for (const auto& [reason, count] : count_by_reason) {
    html += fmt::format("<p>{}: {}</p>\n", count, escaped(reason));
  }
  return html + "</section>\n\n";
}

}  // namespace

std::string validation_page(const Validation& validation, const std::string& changes,
                            const report::ReportOrigin& origin) {
  const auto outside =
      std::count_if(validation.errors.begin(), validation.errors.end(),
                    [](const PointError& error) { return !error.within_tolerance(); });
  const std::string subject = fmt::format(
      "{} points, {} figures, {} groups; {} figures outside their tolerance",
      validation.points.size(), validation.errors.size(), validation.groups.size(), outside);
  report::Frame frame;
  frame.title = "Simulated against measured";
  frame.subject = subject;
  frame.body = report::filled(
      validation_html(),
      {{"findings", findings_html(validation)},
       {"changes",
        changes.empty() ? std::string() : fmt::format("<pre>{}</pre>\n", escaped(changes))},
       {"groups", groups_html(validation)},
       {"worst", worst_html(validation)},
       {"skipped", skipped_html(validation)}});
  frame.origin = report::origin_lines(origin);
  frame.data = validation_page_data(validation);
  frame.script = validation_js();
  frame.more_style = validation_css();
  return report::framed(frame);
}

}  // namespace tradewind::validation
