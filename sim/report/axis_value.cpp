#include "sim/report/axis_value.h"

#include <nlohmann/json.hpp>

namespace tradewind::report {

std::string axis_value_text(const std::string& json_text) {
  if (json_text == "null") return {};
  if (json_text.empty() || json_text.front() != '"') return json_text;
  return nlohmann::json::parse(json_text).get<std::string>();
}

}  // namespace tradewind::report
