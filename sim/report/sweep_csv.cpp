#include "sim/report/sweep_csv.h"

#include <fmt/format.h>

#include <iterator>

#include "sim/report/axis_value.h"
#include "sim/report/metric_columns.h"

namespace tradewind::report {
namespace {

void append_cell(std::string& text, std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
    text += cell;
    return;
  }
  text += '"';
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

}  // namespace

std::string csv_header(const std::vector<std::string>& axes) {
  std::string text;
  for (const std::string& axis : axes) {
    append_cell(text, axis);
    text += ',';
  }
  text += "feasible,reason";
  for (const MetricColumn& column : metric_columns()) {
    text += ',';
    text += column.name;
  }
  return text += '\n';
}

void append_csv_row(std::string& text, const study::Point& point, std::size_t axis_count) {
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    if (axis < point.axis_values.size()) {
      append_cell(text, axis_value_text(point.axis_values[axis]));
    }
    text += ',';
  }
  text += point.result.feasible ? "true," : "false,";
  append_cell(text, point.result.reason);
  for (const MetricColumn& column : metric_columns()) {
    text += ',';
    const std::optional<double> number = column.of(point.result.metrics);
    if (number) fmt::format_to(std::back_inserter(text), "{}", *number);
  }
  text += '\n';
}

std::string sweep_csv(const study::SweepResults& results) {
  std::string text = csv_header(results.axes);
  for (const study::Point& point : results.points) {
    append_csv_row(text, point, results.axes.size());
  }
  return text;
}

}  // namespace tradewind::report
