#include "sim/report/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/report/axis_value.h"
#include "sim/report/number_text.h"

namespace tradewind::report {
namespace {

/// " flash x16 copy_engines": the strategy, then what is not as by default.
std::string overlap_label(const scenario::Overlap& overlap) {
  if (overlap.strategy == "vanilla") return {};
  std::string label = " " + overlap.strategy;
  if (overlap.slices > 0) label += fmt::format(" x{}", overlap.slices);
  for (std::size_t site = 0; site < scenario::kOverlapSiteCount; ++site) {
    if (overlap.on[site]) label += fmt::format(" {}", scenario::kOverlapSiteNames[site]);
  }
  if (overlap.transport != scenario::Transport::kernels) {
    label +=
        fmt::format(" {}", scenario::kTransportNames[static_cast<std::size_t>(overlap.transport)]);
  }
  if (overlap.order != scenario::PeerOrder::automatic) {
    label += fmt::format(" {}", scenario::kPeerOrderNames[static_cast<std::size_t>(overlap.order)]);
  }
  return label;
}

}  // namespace

std::string plan_label(const scenario::Plan& plan) {
  std::string label = fmt::format("TP{} PP{} DP{}", plan.tp, plan.pp, plan.dp);
  if (plan.sequence_parallel) label += " SP";
  if (plan.ulysses > 1) label += fmt::format(" U{}", plan.ulysses);
  if (plan.nano_batch_count() != plan.pp) {
    label += fmt::format(" NB{}", plan.nano_batch_count());
  }
  label += overlap_label(plan.overlap);
  if (plan.kv_accounting == scenario::KvAccounting::paper) label += " paper-KV";
  return label;
}

std::optional<int> batch_of(const scenario::Scenario& scenario) {
  return std::visit([](const auto& workload) { return std::optional<int>(workload.batch); },
                    scenario.workload);
}

std::string precision_label(const model::Precision& precision) {
  const std::string_view name = shorthand(precision);
  if (!name.empty()) return std::string(name);
  return fmt::format("{}/{}/{}", to_string(precision.weights), to_string(precision.activations),
                     to_string(precision.kv_cache));
}

std::string length_label(const scenario::Workload& workload) {
  if (const auto* batch = std::get_if<scenario::StaticBatch>(&workload)) {
    return fmt::format("{} tokens in, {} out", grouped(batch->input_tokens),
                       grouped(batch->output_tokens));
  }
  static constexpr std::array<std::string_view, 4> kParts = {"MLP", "attention", "transformer",
                                                             "Mamba"};
  const auto& block = std::get<scenario::Block>(workload);
  return fmt::format("one {} block, sequences of {} tokens",
                     kParts[static_cast<std::size_t>(block.part)], grouped(block.sequence_length));
}

std::string workload_label(const scenario::Workload& workload) {
  if (const auto* batch = std::get_if<scenario::StaticBatch>(&workload)) {
    return fmt::format("static batch of {} a replica, {}", grouped(batch->batch),
                       length_label(workload));
  }
  const auto& block = std::get<scenario::Block>(workload);
  return fmt::format("{}, batch of {}", length_label(workload), grouped(block.batch));
}

bool is_plan_or_batch_axis(const std::string& path) {
  static constexpr std::array<std::string_view, 15> kShown = {"plan",
                                                              "plan.tp",
                                                              "plan.pp",
                                                              "plan.dp",
                                                              "plan.sequence_parallel",
                                                              "plan.ulysses",
                                                              "plan.nano_batches",
                                                              "plan.overlap",
                                                              "plan.overlap.strategy",
                                                              "plan.overlap.slices",
                                                              "plan.overlap.on",
                                                              "plan.overlap.transport",
                                                              "plan.overlap.order",
                                                              "plan.kv_accounting",
                                                              "workload.batch"};
  return std::find(kShown.begin(), kShown.end(), path) != kShown.end();
}

std::string family_label(const study::SweepResults& results, const study::Point& point,
                         std::string_view left_out) {
  std::string label = plan_label(point.scenario.plan);
  const std::size_t axes = std::min(results.axes.size(), point.axis_values.size());
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::string& path = results.axes[axis];
    if (is_plan_or_batch_axis(path) || path == left_out) continue;
    // A name says what it is; a number doesn't.
    const std::string& json = point.axis_values[axis];
    const std::string value = axis_value_text(json);
    label += json.starts_with('"') ? " " + value
                                   : fmt::format(" {}={}", path.substr(path.rfind('.') + 1), value);
  }
  return label;
}

std::string system_label(const scenario::Scenario& scenario) {
  return fmt::format("{}, {}, {}", scenario.model->name, precision_label(scenario.precision),
                     scenario.runtime->name);
}

}  // namespace tradewind::report
