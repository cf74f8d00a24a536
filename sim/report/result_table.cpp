#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "sim/report/labels.h"
#include "sim/report/number_text.h"
#include "sim/report/table.h"

namespace tradewind::report {
namespace {

using scenario::MemoryUse;
using workload::Metrics;

constexpr int kBarWidth = 24;
constexpr std::size_t kMostKernelRows = 12;

struct MetricLine {
  const char* text;
  std::optional<double> Metrics::*member;
  double scale;
  const char* unit;
  const char* name;  ///< in JSON and CSV
};
constexpr MetricLine kMetricLines[] = {
    {"time to first token (TTFT)", &Metrics::ttft_ms, 1, "ms", "ttft_ms"},
    {"  99 % of requests", &Metrics::ttft_ms_p99, 1, "ms", "ttft_ms_p99"},
    {"time per output token (TPOT)", &Metrics::tpot_ms, 1, "ms", "tpot_ms"},
    {"  99 % of requests", &Metrics::tpot_ms_p99, 1, "ms", "tpot_ms_p99"},
    {"end-to-end latency", &Metrics::e2e_latency_ms, 1, "ms", "e2e_latency_ms"},
    {"requests served", &Metrics::requests_per_s, 1, "requests/s", "requests_per_s"},
    {"  within the service level", &Metrics::goodput_requests_per_s, 1, "requests/s",
     "goodput_requests_per_s"},
    {"waiting before the first step", &Metrics::queue_ms, 1, "ms", "queue_ms"},
    {"KV cache in use, at most", &Metrics::kv_cache_usage_max, 100, "%", "kv_cache_usage_max"},
    {"makespan", &Metrics::makespan_ms, 1, "ms", "makespan_ms"},
    {"output", &Metrics::output_tokens_per_s, 1, "tokens/s", "output_tokens_per_s"},
    {"  a device", &Metrics::output_tokens_per_s_per_device, 1, "tokens/s/device",
     "output_tokens_per_s_per_device"},
    {"  a user", &Metrics::output_tokens_per_s_per_user, 1, "tokens/s/user",
     "output_tokens_per_s_per_user"},
    {"input and output", &Metrics::total_tokens_per_s, 1, "tokens/s", "total_tokens_per_s"},
    {"makespan without communication", &Metrics::compute_ms, 1, "ms", "compute_ms"},
    {"exposed communication", &Metrics::exposed_communication_ms, 1, "ms",
     "exposed_communication_ms"},
    {"  of the makespan", &Metrics::exposed_communication_fraction, 100, "%",
     "exposed_communication_fraction"},
    {"pipeline bubble", &Metrics::bubble_fraction, 100, "%", "bubble_fraction"},
    {"model FLOPs utilisation (MFU)", &Metrics::mfu, 100, "%", "mfu"},
    {"cost of a million output tokens", &Metrics::cost_per_million_output_tokens_usd, 1, "USD",
     "cost_per_million_output_tokens_usd"},
};

/// Of a training step, which has neither prompts nor answers.
constexpr MetricLine kTrainingLines[] = {
    {"time of a step", &Metrics::makespan_ms, 1, "ms", "makespan_ms"},
    {"tokens", &Metrics::total_tokens_per_s, 1, "tokens/s", "total_tokens_per_s"},
    {"  a device", &Metrics::total_tokens_per_s_per_device, 1, "tokens/s/device",
     "total_tokens_per_s_per_device"},
    {"model FLOPs a device", &Metrics::model_flops_per_device_per_s, 1e-12, "TFLOP/s",
     "model_flops_per_device_per_s"},
    {"model FLOPs utilisation (MFU)", &Metrics::mfu, 100, "%", "mfu"},
    {"  attention without causal mask", &Metrics::mfu_full_attention, 100, "%",
     "mfu_full_attention"},
    {"hardware FLOPs utilisation (HFU)", &Metrics::hfu, 100, "%", "hfu"},
    {"pipeline bubble", &Metrics::bubble_fraction, 100, "%", "bubble_fraction"},
    {"step without communication", &Metrics::compute_ms, 1, "ms", "compute_ms"},
    {"exposed communication", &Metrics::exposed_communication_ms, 1, "ms",
     "exposed_communication_ms"},
    {"  of the step", &Metrics::exposed_communication_fraction, 100, "%",
     "exposed_communication_fraction"},
    {"  of tensor parallelism", &Metrics::exposed_tp_ms, 1, "ms", "exposed_communication_ms_tp"},
    {"  of context parallelism", &Metrics::exposed_cp_ms, 1, "ms", "exposed_communication_ms_cp"},
    {"  of the pipeline", &Metrics::exposed_pp_ms, 1, "ms", "exposed_communication_ms_pp"},
    {"  of data parallelism", &Metrics::exposed_dp_ms, 1, "ms", "exposed_communication_ms_dp"},
};

bool is_training(const scenario::Scenario& scenario) {
  return std::holds_alternative<scenario::Training>(scenario.workload);
}

struct MemoryLine {
  const char* text;
  double MemoryUse::*member;
};
constexpr MemoryLine kMemoryLines[] = {{"weights", &MemoryUse::weights_bytes},
                                       {"KV cache", &MemoryUse::kv_cache_bytes},
                                       {"activations", &MemoryUse::activations_bytes},
                                       {"reserved", &MemoryUse::reserved_bytes}};
constexpr MemoryLine kTrainingMemoryLines[] = {{"weights", &MemoryUse::weights_bytes},
                                               {"gradients", &MemoryUse::gradients_bytes},
                                               {"optimizer", &MemoryUse::optimizer_bytes},
                                               {"activations", &MemoryUse::activations_bytes},
                                               {"reserved", &MemoryUse::reserved_bytes}};

void append_heading(std::string& text, const scenario::Scenario& scenario,
                    const workload::Result& result) {
  if (!scenario.name.empty()) text += scenario.name + "\n";
  text +=
      fmt::format("{}: {}, {} of {} devices of {}\n{}\n", system_label(scenario),
                  plan_label(scenario.plan), scenario.plan.devices(), scenario.cluster->devices(),
                  scenario.cluster->name, workload_label(scenario.workload));
  if (!result.feasible) text += fmt::format("\nINFEASIBLE: {}\n", result.reason);
}

void append_metrics(std::string& text, std::span<const MetricLine> of_workload,
                    const Metrics& metrics) {
  std::string lines;
  for (const MetricLine& line : of_workload) {
    const std::optional<double>& number = metrics.*line.member;
    if (!number) continue;
    lines += fmt::format("  {:<32} {:>12} {:<16}  {}\n", line.text,
                         short_number(*number * line.scale), line.unit, line.name);
  }
  if (!lines.empty()) text += "\n" + lines;
}

/// "  by stage     61.20  58.11 GB used": of the first and the last where there are many.
std::string stage_line(const scenario::MemoryReport& memory) {
  constexpr std::size_t kMostStages = 8;
  const std::size_t count = memory.stages.size();
  if (count == 1) return {};
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (count > kMostStages && i >= kMostStages / 2 && i + kMostStages / 2 < count) {
      if (i == kMostStages / 2) text += " ...";
      continue;
    }
    text += fmt::format(" {:.2f}", memory.stages[i].used_bytes() / 1e9);
  }
  return fmt::format("  in use by stage, GB:{}\n", text);
}

/// What the cache holds, of workloads that have one.
std::string cache_line(const scenario::Workload& workload, const scenario::MemoryReport& memory) {
  if (std::holds_alternative<scenario::Training>(workload)) return stage_line(memory);
  if (std::holds_alternative<scenario::Block>(workload)) return {};
  const std::string room = fmt::format("  room for {} tokens of KV cache a replica",
                                       grouped(memory.kv_cache_capacity_tokens));
  if (!std::holds_alternative<scenario::StaticBatch>(workload)) return room + '\n';
  return fmt::format("{}; largest batch {}\n", room, grouped(memory.max_batch));
}

void append_memory(std::string& text, std::span<const MemoryLine> of_workload,
                   const scenario::Workload& workload, const scenario::MemoryReport& memory) {
  const MemoryUse& use = memory.fullest_stage();
  text += "\nMemory of the fullest device";
  if (memory.stages.size() > 1) {
    text += fmt::format(" (stage {} of 0..{})", memory.fullest, memory.stages.size() - 1);
  }
  text += fmt::format(", {}\n", gigabytes(use.capacity_bytes));
  const auto append_line = [&](const char* name, double bytes) {
    const double share = use.capacity_bytes > 0 ? bytes / use.capacity_bytes : 0;
    const std::string drawn = bar(share, kBarWidth);
    text += fmt::format("  {:<12} {:>12} {:>9}{}{}\n", name, gigabytes(bytes), percent(share),
                        drawn.empty() ? "" : "  ", drawn);
  };
  for (const MemoryLine& line : of_workload) append_line(line.text, use.*line.member);
  const double free_bytes = use.capacity_bytes - use.used_bytes();
  append_line(free_bytes >= 0 ? "free" : "missing", std::abs(free_bytes));
  text += cache_line(workload, memory);
}

void append_breakdown(std::string& text, const std::vector<workload::BreakdownRow>& rows) {
  if (rows.empty()) return;
  text += "\nWhere the time of the busiest device goes\n";
  const std::size_t shown = std::min(rows.size(), kMostKernelRows);
  std::size_t width = 16;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, rows[i].kernel.size());
  text += fmt::format("  {:<8} {:<{}} {:>10} {:>12} {:>8}  {:<{}}  {}\n", "phase", "kernel", width,
                      "count", "ms", "share", "", kBarWidth, "bound by");
  for (std::size_t i = 0; i < shown; ++i) {
    const workload::BreakdownRow& row = rows[i];
    text += fmt::format("  {:<8} {:<{}} {:>10} {:>12} {:>8}  {}  {}\n", row.phase, row.kernel,
                        width, grouped(row.count), short_number(row.time_ms), percent(row.share),
                        left_aligned(bar(row.share, kBarWidth), kBarWidth), to_string(row.bound));
  }
  if (shown == rows.size()) return;
  double rest_ms = 0, rest_share = 0;
  for (std::size_t i = shown; i < rows.size(); ++i) {
    rest_ms += rows[i].time_ms;
    rest_share += rows[i].share;
  }
  text += fmt::format("  {:<{}} {:>12} {:>8}\n", fmt::format("{} more", rows.size() - shown),
                      width + 20, short_number(rest_ms), percent(rest_share));
}

void append_communication(std::string& text, std::string_view heading,
                          const std::vector<workload::CommunicationRow>& rows) {
  if (rows.empty()) return;
  text += fmt::format("\n{}\n  {:<25} {:>12} {:>12}\n", heading, "collective", "in flight ms",
                      "exposed ms");
  for (const workload::CommunicationRow& row : rows) {
    text += fmt::format("  {:<25} {:>12} {:>12}\n", row.collective, short_number(row.in_flight_ms),
                        short_number(row.exposed_ms));
  }
}

void append_notes(std::string& text, const std::vector<std::string>& notes) {
  if (!notes.empty()) text += '\n';
  for (const std::string& note : notes) text += "note: " + note + '\n';
}

void append_trust(std::string& text, const workload::Result& result) {
  double total_ms = 0;
  for (const double ms : result.provenance_ms) total_ms += ms;
  std::string line;
  for (std::size_t i = 0; i < kProvenanceCount; ++i) {
    const double ms = result.provenance_ms[i];
    if (ms <= 0) continue;
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", percent(ms / total_ms),
                        kProvenanceNames[i]);
  }
  if (!line.empty()) text += fmt::format("\nThe device time stands on: {}.\n", line);
  const Metrics& metrics = result.metrics;
  if (!metrics.speed_of_light_ms || !metrics.speed_of_light_share) return;
  text += fmt::format(
      "Speed of light (every resource at its datasheet peak): {} ms, {} of the makespan.\n",
      short_number(metrics.speed_of_light_ms), percent(*metrics.speed_of_light_share));
}

}  // namespace

std::string result_table(const scenario::Scenario& scenario, const workload::Result& result) {
  std::string text;
  append_heading(text, scenario, result);
  const bool trains = is_training(scenario);
  append_metrics(text,
                 trains ? std::span<const MetricLine>(kTrainingLines)
                        : std::span<const MetricLine>(kMetricLines),
                 result.metrics);
  if (result.memory) {
    append_memory(text,
                  trains ? std::span<const MemoryLine>(kTrainingMemoryLines)
                         : std::span<const MemoryLine>(kMemoryLines),
                  scenario.workload, *result.memory);
  }
  append_breakdown(text, result.breakdown);
  append_communication(text,
                       trains ? "Communication inside the layers of the busiest device"
                              : "Communication of the busiest device",
                       result.communication);
  append_notes(text, result.notes);
  append_trust(text, result);
  return text;
}

}  // namespace tradewind::report
