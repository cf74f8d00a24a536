#include "sim/report/explanation_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/report/labels.h"
#include "sim/report/number_text.h"
#include "sim/report/result_json.h"

namespace tradewind::report {
namespace {

using nlohmann::ordered_json;
using study::Elasticity;
using study::Explanation;

constexpr std::size_t kMostRows = 14;

std::string change(const std::optional<double>& relative) {
  return relative ? fmt::format("{:+.2f} %", 100 * *relative) : "-";
}

void append_kernels(std::string& text, const workload::Result& result) {
  text += fmt::format(
      "\nWhere the time goes, against the speed of light\n  {:<8} {:<20} {:>10} "
      "{:>8} {:>12} {:>9}  {:<12} {}\n",
      "phase", "kernel", "ms", "share", "at peak, ms", "achieved", "stands on", "bound by");
  for (std::size_t i = 0; i < std::min(result.breakdown.size(), kMostRows); ++i) {
    const workload::BreakdownRow& row = result.breakdown[i];
    const bool has_light = row.speed_of_light_ms > 0;
    text +=
        fmt::format("  {:<8} {:<20} {:>10} {:>8} {:>12} {:>9}  {:<12} {}\n", row.phase, row.kernel,
                    short_number(row.time_ms), percent(row.share),
                    has_light ? short_number(row.speed_of_light_ms) : "-",
                    has_light ? percent(std::min(1.0, row.speed_of_light_ms / row.time_ms)) : "-",
                    to_string(row.provenance), to_string(row.bound));
  }
}

void append_elasticities(std::string& text, const std::vector<Elasticity>& elasticities,
                         bool trains) {
  if (trains) {
    text += fmt::format("\nWhat 10 % more of a parameter changes\n  {:<24} {:>10} {:>12}\n",
                        "parameter", "step time", "tokens/s");
    for (const Elasticity& e : elasticities) {
      text += fmt::format("  {:<24} {:>10} {:>12}\n", e.parameter, change(e.latency),
                          change(e.throughput));
    }
    return;
  }
  text += fmt::format("\nWhat 10 % more of a parameter changes\n  {:<24} {:>10} {:>10} {:>12}\n",
                      "parameter", "latency", "TPOT", "throughput");
  for (const Elasticity& e : elasticities) {
    text += fmt::format("  {:<24} {:>10} {:>10} {:>12}\n", e.parameter, change(e.latency),
                        change(e.tpot), change(e.throughput));
  }
}

void append_path(std::string& text, const Explanation& explanation) {
  if (explanation.path.empty()) return;
  const std::string of =
      explanation.path_decode_steps > 0
          ? fmt::format(" of the prefill and {} decode steps", explanation.path_decode_steps)
          : "";
  text += fmt::format("\nCritical path{}, every rank simulated\n", of);
  for (std::size_t i = 0; i < std::min(explanation.path.size(), kMostRows); ++i) {
    const study::PathShare& share = explanation.path[i];
    text += fmt::format("  {:<8} {:<20} {:>10} ms {:>8}\n", share.phase, share.name,
                        short_number(share.time_ms), percent(share.share));
  }
}

ordered_json number(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

}  // namespace

std::string explanation_table(const Explanation& explanation) {
  const scenario::Scenario& scenario = explanation.scenario;
  const workload::Result& result = explanation.result;
  std::string text =
      fmt::format("{}: {}, {}\n{}\n", system_label(scenario), plan_label(scenario.plan),
                  scenario.cluster->name, workload_label(scenario.workload));
  if (!result.feasible) text += fmt::format("\nINFEASIBLE: {}\n", result.reason);
  if (!result.metrics.makespan_ms) return text;
  text += fmt::format("\n  makespan {} ms", short_number(result.metrics.makespan_ms));
  if (result.metrics.ttft_ms) {
    text += fmt::format(", TTFT {} ms", short_number(result.metrics.ttft_ms));
  }
  if (result.metrics.tpot_ms) {
    text += fmt::format(", TPOT {} ms", short_number(result.metrics.tpot_ms));
  }
  if (result.metrics.hfu) {
    text +=
        fmt::format(", MFU {}, HFU {}", percent(*result.metrics.mfu), percent(*result.metrics.hfu));
  }
  if (result.metrics.speed_of_light_share) {
    text += fmt::format("; speed of light {} ms, {} achieved",
                        short_number(result.metrics.speed_of_light_ms),
                        percent(*result.metrics.speed_of_light_share));
  }
  text += '\n';
  append_kernels(text, result);
  append_elasticities(text, explanation.elasticities,
                      std::holds_alternative<scenario::Training>(scenario.workload));
  append_path(text, explanation);
  for (const std::string& note : result.notes) text += "note: " + note + '\n';
  return text;
}

std::string explanation_json(const Explanation& explanation, std::string_view version) {
  ordered_json json;
  json["result"] = result_json(explanation.scenario, explanation.result, version);
  json["kernels"] = ordered_json::array();
  for (const workload::BreakdownRow& row : explanation.result.breakdown) {
    json["kernels"].push_back({{"phase", row.phase},
                               {"kernel", row.kernel},
                               {"time_ms", row.time_ms},
                               {"speed_of_light_ms", row.speed_of_light_ms},
                               {"provenance", to_string(row.provenance)},
                               {"bound", to_string(row.bound)}});
  }
  json["elasticities"] = ordered_json::array();
  for (const Elasticity& e : explanation.elasticities) {
    json["elasticities"].push_back({{"parameter", e.parameter},
                                    {"latency", number(e.latency)},
                                    {"tpot", number(e.tpot)},
                                    {"throughput", number(e.throughput)}});
  }
  ordered_json path = ordered_json::array();
  for (const study::PathShare& share : explanation.path) {
    path.push_back({{"phase", share.phase},
                    {"kernel", share.name},
                    {"time_ms", share.time_ms},
                    {"share", share.share}});
  }
  json["critical_path"] = {{"decode_steps", explanation.path_decode_steps},
                           {"kernels", std::move(path)}};
  return json.dump();
}

}  // namespace tradewind::report
