#include "sim/report/sweep_jsonl.h"

#include "sim/report/json_text.h"
#include "sim/report/result_json.h"

namespace tradewind::report {

void append_jsonl_line(std::string& text, const std::vector<std::string>& axes,
                       const study::Point& point, std::string_view version) {
  text += "{\"axes\":{";
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axis > 0) text += ',';
    append_json_string(text, axes[axis]);
    text += ':';
    text += axis < point.axis_values.size() ? point.axis_values[axis] : "null";
  }
  text += "},";
  text += std::string_view(result_text(point.scenario, point.result, version)).substr(1);
  text += '\n';
}

std::string sweep_jsonl(const study::SweepResults& results, std::string_view version) {
  std::string text;
  for (const study::Point& point : results.points) {
    append_jsonl_line(text, results.axes, point, version);
  }
  return text;
}

}  // namespace tradewind::report
