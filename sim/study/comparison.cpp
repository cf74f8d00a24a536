#include "sim/study/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/json/reader.h"
#include "sim/scenario/overlap_reader.h"

namespace tradewind::study {
namespace {

using scenario::Overlap;

constexpr const char* kOption = "--compare";

/// One name with its `:slices`.
Overlap read_strategy(std::string_view text, const Overlap& of_plan) {
  const std::size_t colon = text.find(':');
  nlohmann::json json = {{"strategy", std::string(text.substr(0, colon))}};
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    int slices = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), slices);
    if (error != std::errc{} || end != digits.end()) {
      throw InputError(kOption, "", fmt::format("\"{}\" is not STRATEGY or STRATEGY:SLICES", text));
    }
    json["slices"] = slices;
  }
  Overlap named = scenario::read_overlap(json::Node(json, kOption, ""));
  if (named.strategy == "vanilla") return named;
  Overlap overlap = of_plan;
  overlap.strategy = named.strategy;
  overlap.slices = named.slices;
  if (named.slices == 0 && named.strategy == of_plan.strategy) overlap.slices = of_plan.slices;
  return overlap;
}

std::string label_of(const Overlap& overlap) {
  return overlap.slices > 0 ? fmt::format("{}:{}", overlap.strategy, overlap.slices)
                            : overlap.strategy;
}

std::optional<double> reduction(const std::optional<double>& value,
                                const std::optional<double>& reference) {
  if (!value || !reference || *reference == 0) return std::nullopt;
  return 1 - *value / *reference;
}

}  // namespace

std::vector<Overlap> read_strategies(std::string_view list, const Overlap& of_plan) {
  std::vector<Overlap> strategies;
  while (true) {
    const std::size_t comma = list.find(',');
    strategies.push_back(read_strategy(list.substr(0, comma), of_plan));
    const std::string label = label_of(strategies.back());
    const auto same = [&](const Overlap& other) { return label_of(other) == label; };
    if (std::count_if(strategies.begin(), strategies.end(), same) > 1) {
      throw InputError(kOption, "", fmt::format("\"{}\" is named twice", label));
    }
    if (comma == std::string_view::npos) return strategies;
    list.remove_prefix(comma + 1);
  }
}

Comparison compare(const scenario::Scenario& scenario, const std::vector<Overlap>& strategies,
                   const workload::RunOptions& options) {
  Comparison comparison;
  for (const Overlap& overlap : strategies) {
    Compared& compared = comparison.strategies.emplace_back();
    compared.label = label_of(overlap);
    compared.scenario = scenario;
    compared.scenario.plan.overlap = overlap;
    compared.result = workload::run(compared.scenario, options);
    if (compared.result.metrics.makespan_ms) {
      compared.limits = workload::pass_limits(compared.scenario);
    }
  }
  const auto vanilla = std::find_if(strategies.begin(), strategies.end(),
                                    [](const Overlap& o) { return o.strategy == "vanilla"; });
  if (vanilla != strategies.end()) {
    comparison.reference = static_cast<std::size_t>(vanilla - strategies.begin());
  }
  return comparison;
}

std::optional<double> latency_ms(const workload::Result& result) {
  return result.metrics.ttft_ms ? result.metrics.ttft_ms : result.metrics.makespan_ms;
}

std::optional<double> latency_reduction(const Comparison& comparison, std::size_t strategy) {
  return reduction(latency_ms(comparison.strategies[strategy].result),
                   latency_ms(comparison.strategies[comparison.reference].result));
}

std::optional<double> exposed_reduction(const Comparison& comparison, std::size_t strategy) {
  constexpr auto kExposed = &workload::Metrics::exposed_communication_ms;
  return reduction(comparison.strategies[strategy].result.metrics.*kExposed,
                   comparison.strategies[comparison.reference].result.metrics.*kExposed);
}

}  // namespace tradewind::study
