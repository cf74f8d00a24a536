#pragma once

#include <string>
#include <string_view>

#include "sim/report/html.h"
#include "sim/scenario/scenario.h"

namespace tradewind::report {

/// What pages differ in. HTML but for the title and subject, which are text.
struct Frame {
  std::string title, subject;
  std::string body;
  std::string origin;  ///< origin_line()s
  std::string data;    ///< JSON that `script` draws with Chart.js; both empty: no script at all
  std::string script;
  std::string more_style;  ///< after report.css
};

/// A page that needs no other file and no network.
std::string framed(const Frame& frame);

/// What the page says about its making: a name and a text.
std::string origin_line(std::string_view name, std::string_view value);
/// The simulator and the command.
std::string origin_lines(const ReportOrigin& origin);
/// And the scenario.
std::string origin_lines(const ReportOrigin& origin, const scenario::Scenario& scenario);

}  // namespace tradewind::report
