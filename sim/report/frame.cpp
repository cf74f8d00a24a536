#include "sim/report/frame.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/report/assets.h"
#include "sim/report/html_text.h"
#include "sim/scenario/reader.h"

namespace tradewind::report {

std::string framed(const Frame& frame) {
  const std::string scripts = frame.script.empty()
                                  ? std::string()
                                  : filled(scripts_html(), {{"data", frame.data},
                                                            {"chart", std::string(chart_js())},
                                                            {"script", frame.script}});
  return filled(frame_html(), {{"title", escaped(frame.title)},
                               {"subject", escaped(frame.subject)},
                               {"style", std::string(report_css()) + frame.more_style},
                               {"body", frame.body},
                               {"origin", frame.origin},
                               {"scripts", scripts}});
}

std::string origin_line(std::string_view name, std::string_view value) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(value));
}

std::string origin_lines(const ReportOrigin& origin) {
  return origin_line("Simulator", "tradewind " + origin.version) +
         origin_line("Command", origin.command_line);
}

std::string origin_lines(const ReportOrigin& origin, const scenario::Scenario& scenario) {
  return origin_lines(origin) + origin_line("Scenario", to_json(scenario).dump());
}

}  // namespace tradewind::report
