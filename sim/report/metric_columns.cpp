#include "sim/report/metric_columns.h"

#include <algorithm>

namespace tradewind::report {
namespace {

/// Names that interface.md promises for serving.
constexpr const char* kServingNames[] = {
    "ttft_ms_p50", "ttft_ms_p90", "ttft_ms_p99", "tpot_ms_p50", "tpot_ms_p90",
    "tpot_ms_p99", "itl_ms_p50",  "itl_ms_p90",  "itl_ms_p99",  "goodput_requests_per_s"};

std::vector<MetricColumn> all_columns() {
  std::vector<MetricColumn> columns;
  for (const workload::MetricField& field : workload::metric_fields()) {
    columns.push_back({field.name, field.member});
  }
  for (const char* name : kServingNames) {
    const bool computed =
        std::any_of(columns.begin(), columns.end(),
                    [&](const MetricColumn& known) { return known.name == name; });
    if (!computed) columns.push_back({name, nullptr});
  }
  return columns;
}

}  // namespace

const std::vector<MetricColumn>& metric_columns() {
  static const std::vector<MetricColumn> kColumns = all_columns();
  return kColumns;
}

}  // namespace tradewind::report
