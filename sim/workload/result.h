#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/provenance.h"
#include "sim/kernels/cost.h"
#include "sim/scenario/memory.h"

namespace tradewind::workload {

/// The numbers of interface.md, "Result of run". Not applicable is nullopt, never 0.
struct Metrics {
  std::optional<double> ttft_ms, tpot_ms, e2e_latency_ms, makespan_ms;
  std::optional<double> output_tokens_per_s, total_tokens_per_s;
  std::optional<double> output_tokens_per_s_per_device, total_tokens_per_s_per_device;
  std::optional<double> output_tokens_per_s_per_user;
  /// Were every finished nano-batch replaced at once (TPS of arXiv 2603.05692, section 3).
  std::optional<double> steady_state_output_tokens_per_s;
  std::optional<double> communication_ms, exposed_communication_ms, exposed_communication_fraction;
  std::optional<double> compute_ms;
  std::optional<double> prefill_pass_ms, decode_pass_ms;
  std::optional<double> exposed_communication_ms_prefill;
  std::optional<double> exposed_communication_ms_decode_per_token;
  std::optional<double> p2p_ms;  ///< pipeline transfers of the busiest device
  std::optional<double> model_flops_per_device_per_s, mfu;
  std::optional<double> bubble_fraction;
  /// Of training: by kind of parallelism, each against the same graph without it.
  std::optional<double> exposed_tp_ms, exposed_cp_ms, exposed_pp_ms, exposed_dp_ms;
  std::optional<double> mfu_full_attention;  ///< attention counted without its causal mask
  std::optional<double> hfu;                 ///< what is recomputed counts too
  std::optional<double> peak_memory_bytes;   ///< of the fullest stage, the reserve included
  std::optional<double> cost_per_million_output_tokens_usd;
  std::optional<double> speed_of_light_ms, speed_of_light_share;

  // Of serving.
  std::optional<double> ttft_ms_p50, ttft_ms_p90, ttft_ms_p99;
  std::optional<double> tpot_ms_p50, tpot_ms_p90, tpot_ms_p99;
  std::optional<double> itl_ms_p50, itl_ms_p90, itl_ms_p99;  ///< between two tokens of a sequence
  std::optional<double> e2e_latency_ms_p50, e2e_latency_ms_p90, e2e_latency_ms_p99;
  std::optional<double> goodput_requests_per_s;  ///< of requests within the service level
  std::optional<double> requests_per_s;
  std::optional<double> queue_ms;  ///< mean, from arrival to a request's first step
  std::optional<double> rejected_requests, preemptions;
  std::optional<double> mean_running_requests, mean_waiting_requests;  ///< of all replicas, in time
  std::optional<double> mean_requests_in_server;
  std::optional<double> kv_cache_usage, kv_cache_usage_max;  ///< shares of its blocks
  std::optional<double> prefix_cache_hit_rate;               ///< share of prompt tokens
};

/// A metric's public name and where it lives, in the order of results.csv.
struct MetricField {
  const char* name;
  std::optional<double> Metrics::*member;
};
const std::vector<MetricField>& metric_fields();

/// Time of one kernel kind on the busiest device, over one phase of the run.
struct BreakdownRow {
  std::string phase;   ///< "prefill", "decode", "block"
  std::string kernel;  ///< "gate_up_gemm", "all_reduce" ... and "host", "pipeline_wait"
  std::int64_t count = 0;
  double time_ms = 0;
  double share = 0;  ///< of the makespan; the rows' shares sum to 1
  kernels::Bound bound = kernels::Bound::latency;
  double speed_of_light_ms = 0;                 ///< the same work at the datasheet's peaks
  Provenance provenance = Provenance::assumed;  ///< of its longest contribution
};

/// One collective of the busiest device.
struct CommunicationRow {
  std::string collective;  ///< "all_reduce", "reduce_scatter" ... and "p2p"
  double in_flight_ms = 0;
  double exposed_ms = 0;  ///< what it adds to the device's own work
};

struct ServingOutcome;
struct TrainingSchedule;

/// What one scenario gave.
struct Result {
  bool feasible = true;
  std::string reason;                            ///< empty, or why it is infeasible
  std::optional<scenario::MemoryReport> memory;  ///< none when the plan does not divide
  Metrics metrics;                               ///< all nullopt when nothing was simulated
  std::vector<BreakdownRow> breakdown;           ///< largest first
  std::vector<CommunicationRow> communication;
  std::vector<std::string> notes;                        ///< about what the plan asks for
  std::array<double, kProvenanceCount> provenance_ms{};  ///< device time by what it stands on
  std::uint64_t events = 0;                          ///< of the engine; folded: passes over stages
  std::shared_ptr<const ServingOutcome> serving;     ///< where it was asked for (RunOptions)
  std::shared_ptr<const TrainingSchedule> schedule;  ///< likewise, of training
};

}  // namespace tradewind::workload
