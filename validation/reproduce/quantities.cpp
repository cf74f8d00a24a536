#include "validation/reproduce/quantities.h"

#include <algorithm>

namespace tradewind::validation {
namespace {

struct Derived {
  const char* name;
  std::optional<double> (*of)(const scenario::Scenario&, const workload::Result&);
};

std::optional<double> max_batch(const scenario::Scenario&, const workload::Result& result) {
  if (!result.memory) return std::nullopt;
  return static_cast<double>(result.memory->max_batch);
}

std::optional<double> prefill_communication_share(const scenario::Scenario&,
                                                  const workload::Result& result) {
  const workload::Metrics& metrics = result.metrics;
  if (!metrics.exposed_communication_ms_prefill || !metrics.ttft_ms) return std::nullopt;
  return *metrics.exposed_communication_ms_prefill / *metrics.ttft_ms;
}

/// Nothing where no such collective runs.
std::optional<double> exposed_ms(const workload::Result& result, std::string_view collective) {
  for (const workload::CommunicationRow& row : result.communication) {
    if (row.collective == collective) return row.exposed_ms;
  }
  return std::nullopt;
}

std::optional<double> exposed_reduce_scatter_ms(const scenario::Scenario&,
                                                const workload::Result& result) {
  return exposed_ms(result, "reduce_scatter");
}

std::optional<double> without_all_gather_ms(const scenario::Scenario&,
                                            const workload::Result& result) {
  if (!result.metrics.makespan_ms) return std::nullopt;
  return *result.metrics.makespan_ms - exposed_ms(result, "all_gather").value_or(0);
}

std::optional<double> paper_tokens_per_s(const scenario::Scenario& scenario,
                                         const workload::Result& result) {
  const auto* batch = std::get_if<scenario::StaticBatch>(&scenario.workload);
  const workload::Metrics& metrics = result.metrics;
  if (batch == nullptr || !metrics.prefill_pass_ms || !metrics.decode_pass_ms) return std::nullopt;
  const scenario::Plan& plan = scenario.plan;
  const bool nano = plan.kv_accounting == scenario::KvAccounting::paper;
  const double in_flight =
      static_cast<double>(batch->batch) * (nano ? plan.nano_batch_count() : 1) * plan.dp;
  const double latency_ms =
      *metrics.prefill_pass_ms + batch->output_tokens * *metrics.decode_pass_ms;
  return 1e3 * in_flight * batch->output_tokens / latency_ms;
}

constexpr Derived kDerived[] = {{"max_batch", max_batch},
                                {"prefill_communication_share", prefill_communication_share},
                                {"exposed_reduce_scatter_ms", exposed_reduce_scatter_ms},
                                {"without_all_gather_ms", without_all_gather_ms},
                                {"paper_tokens_per_s", paper_tokens_per_s}};

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const workload::MetricField& field : workload::metric_fields()) {
    names.emplace_back(field.name);
  }
  for (const Derived& derived : kDerived) names.emplace_back(derived.name);
  return names;
}

}  // namespace

const std::vector<std::string>& quantity_names() {
  static const std::vector<std::string> kNames = all_names();
  return kNames;
}

std::optional<double> quantity(const std::string& name, const scenario::Scenario& scenario,
                               const workload::Result& result) {
  for (const Derived& derived : kDerived) {
    if (name == derived.name) return derived.of(scenario, result);
  }
  for (const workload::MetricField& field : workload::metric_fields()) {
    if (name == field.name) return result.metrics.*field.member;
  }
  return std::nullopt;
}

}  // namespace tradewind::validation
