#include "sim/report/metric_columns.h"

namespace tradewind::report {
namespace {

std::vector<MetricColumn> all_columns() {
  std::vector<MetricColumn> columns;
  for (const workload::MetricField& field : workload::metric_fields()) {
    columns.push_back({field.name, field.member});
  }
  return columns;
}

}  // namespace

const std::vector<MetricColumn>& metric_columns() {
  static const std::vector<MetricColumn> kColumns = all_columns();
  return kColumns;
}

}  // namespace tradewind::report
