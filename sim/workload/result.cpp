#include "sim/workload/result.h"

namespace tradewind::workload {

const std::vector<MetricField>& metric_fields() {
  static const std::vector<MetricField> kFields = {
      {"ttft_ms", &Metrics::ttft_ms},
      {"tpot_ms", &Metrics::tpot_ms},
      {"e2e_latency_ms", &Metrics::e2e_latency_ms},
      {"makespan_ms", &Metrics::makespan_ms},
      {"output_tokens_per_s", &Metrics::output_tokens_per_s},
      {"total_tokens_per_s", &Metrics::total_tokens_per_s},
      {"output_tokens_per_s_per_device", &Metrics::output_tokens_per_s_per_device},
      {"total_tokens_per_s_per_device", &Metrics::total_tokens_per_s_per_device},
      {"output_tokens_per_s_per_user", &Metrics::output_tokens_per_s_per_user},
      {"steady_state_output_tokens_per_s", &Metrics::steady_state_output_tokens_per_s},
      {"communication_ms", &Metrics::communication_ms},
      {"exposed_communication_ms", &Metrics::exposed_communication_ms},
      {"exposed_communication_fraction", &Metrics::exposed_communication_fraction},
      {"compute_ms", &Metrics::compute_ms},
      {"prefill_pass_ms", &Metrics::prefill_pass_ms},
      {"decode_pass_ms", &Metrics::decode_pass_ms},
      {"exposed_communication_ms_prefill", &Metrics::exposed_communication_ms_prefill},
      {"exposed_communication_ms_decode_per_token",
       &Metrics::exposed_communication_ms_decode_per_token},
      {"p2p_ms", &Metrics::p2p_ms},
      {"model_flops_per_device_per_s", &Metrics::model_flops_per_device_per_s},
      {"mfu", &Metrics::mfu},
      {"bubble_fraction", &Metrics::bubble_fraction},
      {"cost_per_million_output_tokens_usd", &Metrics::cost_per_million_output_tokens_usd},
      {"speed_of_light_ms", &Metrics::speed_of_light_ms},
      {"speed_of_light_share", &Metrics::speed_of_light_share},
  };
  return kFields;
}

}  // namespace tradewind::workload
