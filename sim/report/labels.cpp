#include "sim/report/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/core/overload.h"
#include "sim/report/axis_value.h"
#include "sim/report/number_text.h"
#include "sim/scenario/step_bounds.h"

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

std::string block_label(const scenario::Block& block) {
  static constexpr std::array<std::string_view, 4> kParts = {"MLP", "attention", "transformer",
                                                             "Mamba"};
  return fmt::format("one {} block, sequences of {} tokens",
                     kParts[static_cast<std::size_t>(block.part)], grouped(block.sequence_length));
}

/// "mean of 1,024 tokens in", or without the first words where all requests have as many.
std::string request_label(const scenario::RequestSource& requests) {
  using scenario::Length;
  const bool fixed = !requests.file && requests.input.kind == Length::Kind::fixed &&
                     requests.output.kind == Length::Kind::fixed;
  const scenario::MeanTokens mean = mean_tokens(requests);
  return fmt::format("{}{} tokens in, {} out", fixed ? "" : "on average ",
                     grouped(std::llround(mean.input)), grouped(std::llround(mean.output)));
}

std::string arrival_label(const scenario::Arrival& arrival) {
  using Kind = scenario::Arrival::Kind;
  switch (arrival.kind) {
    case Kind::closed_loop:
      return fmt::format("{} clients in a closed loop", grouped(arrival.concurrency));
    case Kind::poisson:
      return fmt::format("{} requests/s, Poisson", short_number(arrival.requests_per_s));
    case Kind::gamma:
      return fmt::format("{} requests/s, gamma of burstiness {}",
                         short_number(arrival.requests_per_s), short_number(arrival.burstiness));
    case Kind::burst:
      return "all at once";
    case Kind::file:
      return "at the file's times";
  }
  return {};
}

}  // namespace

std::string plan_label(const scenario::Plan& plan) {
  if (plan.pools) {
    const auto label = [](const scenario::PoolPlan& pool) {
      return fmt::format("TP{} PP{} DP{}", pool.tp, pool.pp, pool.dp);
    };
    return fmt::format("prefill {}, decode {}", label(plan.pools->prefill),
                       label(plan.pools->decode));
  }
  std::string label = fmt::format("TP{} PP{} DP{}", plan.tp, plan.pp, plan.dp);
  if (plan.sequence_parallel) label += " SP";
  if (plan.ulysses > 1) label += fmt::format(" U{}", plan.ulysses);
  if (plan.cp > 1) label += fmt::format(" CP{}", plan.cp);
  if (plan.virtual_stages > 1) label += fmt::format(" VP{}", plan.virtual_stages);
  if (plan.zero_stage > 0) label += fmt::format(" ZeRO-{}", plan.zero_stage);
  if (plan.dp_replicate > 1) label += fmt::format(" x {} copies", plan.dp_replicate);
  if (plan.nano_batch_count() != plan.pp) {
    label += fmt::format(" NB{}", plan.nano_batch_count());
  }
  label += overlap_label(plan.overlap);
  if (plan.kv_accounting == scenario::KvAccounting::paper) label += " paper-KV";
  return label;
}

std::optional<int> batch_of(const scenario::Scenario& scenario) {
  using Batch = std::optional<int>;
  return std::visit(
      Overload{[](const scenario::StaticBatch& batch) { return Batch(batch.batch); },
               [](const scenario::Block& block) { return Batch(block.batch); },
               [](const scenario::Training& training) { return Batch(training.global_batch); },
               [](const scenario::Serving&) { return Batch(); }},
      scenario.workload);
}

std::string precision_label(const model::Precision& precision) {
  const std::string_view name = shorthand(precision);
  if (!name.empty()) return std::string(name);
  return fmt::format("{}/{}/{}", to_string(precision.weights), to_string(precision.activations),
                     to_string(precision.kv_cache));
}

std::string length_label(const scenario::Workload& workload) {
  return std::visit(
      Overload{[](const scenario::StaticBatch& batch) {
                 return fmt::format("{} tokens in, {} out", grouped(batch.input_tokens),
                                    grouped(batch.output_tokens));
               },
               [](const scenario::Block& block) { return block_label(block); },
               [](const scenario::Training& training) {
                 return fmt::format("sequences of {} tokens", grouped(training.sequence_length));
               },
               [](const scenario::Serving& serving) { return request_label(serving.requests); }},
      workload);
}

std::string workload_label(const scenario::Workload& workload) {
  const std::string length = length_label(workload);
  return std::visit(
      Overload{
          [&](const scenario::StaticBatch& batch) {
            return fmt::format("static batch of {} a replica, {}", grouped(batch.batch), length);
          },
          [&](const scenario::Block& block) {
            return fmt::format("{}, batch of {}", length, grouped(block.batch));
          },
          [&](const scenario::Training& training) {
            return fmt::format(
                "one step of {} {}, {} at a time, {}, recompute {}", grouped(training.global_batch),
                length, grouped(training.micro_batch), training.schedule,
                scenario::kRecomputeNames[static_cast<std::size_t>(training.recompute)]);
          },
          [&](const scenario::Serving& serving) {
            return fmt::format("{} requests, {}, {}", grouped(serving.requests.count), length,
                               arrival_label(serving.arrival));
          }},
      workload);
}

bool is_plan_or_batch_axis(const std::string& path) {
  static constexpr std::array<std::string_view, 19> kShown = {"plan",
                                                              "plan.tp",
                                                              "plan.pp",
                                                              "plan.dp",
                                                              "plan.sequence_parallel",
                                                              "plan.ulysses",
                                                              "plan.cp",
                                                              "plan.virtual_stages",
                                                              "plan.zero_stage",
                                                              "plan.nano_batches",
                                                              "plan.overlap",
                                                              "plan.overlap.strategy",
                                                              "plan.overlap.slices",
                                                              "plan.overlap.on",
                                                              "plan.overlap.transport",
                                                              "plan.overlap.order",
                                                              "plan.kv_accounting",
                                                              "workload.batch",
                                                              "workload.global_batch"};
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
