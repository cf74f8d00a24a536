#include "sim/report/training_page.h"

#include <fmt/format.h>

#include "sim/report/frame.h"
#include "sim/report/html_text.h"
#include "sim/report/memory_picture.h"
#include "sim/report/number_text.h"
#include "sim/report/outcome.h"
#include "sim/report/schedule_picture.h"

namespace tradewind::report {
namespace {

using workload::Metrics;

constexpr OutcomeFigure kFigures[] = {
    {"Step", &Metrics::makespan_ms, 1, " ms"},
    {"Tokens", &Metrics::total_tokens_per_s, 1, "/s"},
    {"Tokens a device", &Metrics::total_tokens_per_s_per_device, 1, "/s"},
    {"Model FLOPs a device", &Metrics::model_flops_per_device_per_s, 1e-12, " TFLOP/s"},
    {"MFU", &Metrics::mfu, 100, " %"},
    {"MFU, attention without mask", &Metrics::mfu_full_attention, 100, " %"},
    {"HFU", &Metrics::hfu, 100, " %"},
    {"Pipeline bubble", &Metrics::bubble_fraction, 100, " %"},
    {"Without communication", &Metrics::compute_ms, 1, " ms"},
    {"Exposed communication", &Metrics::exposed_communication_fraction, 100, " %"}};
constexpr OutcomeFigure kExposed[] = {
    {"tensor parallelism, inside layers", &Metrics::exposed_tp_ms, 1, ""},
    {"context parallelism and Ulysses, in attention", &Metrics::exposed_cp_ms, 1, ""},
    {"pipeline, between stages", &Metrics::exposed_pp_ms, 1, ""},
    {"data parallelism, gradients and parameters", &Metrics::exposed_dp_ms, 1, ""},
    {"all of it", &Metrics::exposed_communication_ms, 1, ""}};

std::string section(std::string_view id, std::string_view title, std::string_view note,
                    const std::string& body) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"note\">{}</p>\n{}</section>\n",
                     id, title, note, body);
}

std::string schedule_html(const workload::TrainingSchedule& schedule) {
  std::string body = schedule_legend(schedule);
  for (const PictureWindow& window : picture_windows(schedule)) {
    body += fmt::format("<h3>{}</h3>\n<div class=\"scroll\">{}</div>\n", window.title,
                        schedule_picture(schedule, window));
  }
  return section("schedule", "Schedule",
                 "As the engine ran it, one device a stage. Numbers are micro-batches, paler bars "
                 "later chunks of the stage; thin rows below are transfers. Hover over a bar for "
                 "its times; run --timeline writes every task.",
                 body);
}

std::string table_html(std::string_view head, const std::string& rows) {
  return fmt::format(
      "<div class=\"scroll\"><table class=\"comparison\"><thead><tr>{}</tr></thead><tbody>\n{}"
      "</tbody></table></div>\n",
      head, rows);
}

std::string exposed_html(const Metrics& metrics) {
  std::string rows;
  for (const OutcomeFigure& kind : kExposed) {
    const std::optional<double>& ms = metrics.*kind.member;
    if (!ms) continue;
    rows += fmt::format("<tr><th>{}</th><td>{}</td><td>{}</td></tr>\n", kind.label,
                        short_number(*ms), percent(*ms / *metrics.makespan_ms));
  }
  return section("exposed", "Exposed communication",
                 "How much shorter the same step is when that communication takes no time. What "
                 "hides behind other communication counts for neither, so the kinds need not add "
                 "up to all of it.",
                 table_html("<th></th><th>ms</th><th>of the step</th>", rows));
}

std::string breakdown_html(const std::vector<workload::BreakdownRow>& breakdown) {
  std::string rows;
  for (const workload::BreakdownRow& row : breakdown) {
    rows += fmt::format(
        "<tr><th>{}</th><th>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        escaped(row.phase), escaped(row.kernel), grouped(row.count), short_number(row.time_ms),
        percent(row.share), to_string(row.bound), to_string(row.provenance));
  }
  return section("breakdown", "Where the time of the busiest device goes", "",
                 table_html("<th>phase</th><th>kernel</th><th>count</th><th>ms</th><th>share</th>"
                            "<th>bound by</th><th>stands on</th>",
                            rows));
}

}  // namespace

std::string training_page(const scenario::Scenario& scenario, const workload::Result& result,
                          const ReportOrigin& origin) {
  Frame frame;
  frame.title = scenario.name.empty() ? "Training step" : scenario.name;
  frame.subject = outcome_subject(scenario);
  frame.body = outcome_section(kFigures, result);
  const bool has_run = result.metrics.makespan_ms.has_value();
  if (result.schedule) frame.body += schedule_html(*result.schedule);
  if (has_run) frame.body += exposed_html(result.metrics);
  if (result.memory) {
    frame.body += section("memory", "Memory by stage, at its fullest moment",
                          "The red line is the capacity.", memory_picture(*result.memory));
  }
  if (has_run) frame.body += breakdown_html(result.breakdown);
  frame.origin = origin_lines(origin, scenario);
  return framed(frame);
}

}  // namespace tradewind::report
