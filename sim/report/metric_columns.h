#pragma once

#include <string>
#include <vector>

#include "sim/workload/result.h"

namespace tradewind::report {

/// A metric of interface.md and where it lives.
struct MetricColumn {
  std::string name;
  std::optional<double> workload::Metrics::*member;

  std::optional<double> of(const workload::Metrics& metrics) const { return metrics.*member; }
};

/// Every metric name of interface.md and every extra one, in the order of results.csv.
const std::vector<MetricColumn>& metric_columns();

}  // namespace tradewind::report
