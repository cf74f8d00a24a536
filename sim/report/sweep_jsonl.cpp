#include "sim/report/sweep_jsonl.h"

#include <nlohmann/json.hpp>

#include "sim/report/result_json.h"

namespace tradewind::report {

void append_jsonl_line(std::string& text, const std::vector<std::string>& axes,
                       const study::Point& point, std::string_view version) {
  text += "{\"axes\":{";
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axis > 0) text += ',';
    text += nlohmann::json(axes[axis]).dump();
    text += ':';
    text += axis < point.axis_values.size() ? point.axis_values[axis] : "null";
  }
  text += "},";
  text += std::string_view(result_json(point.scenario, point.result, version).dump()).substr(1);
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
