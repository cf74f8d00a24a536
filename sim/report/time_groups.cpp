#include "sim/report/time_groups.h"

#include <algorithm>

#include "sim/lowering/kernel.h"

namespace tradewind::report {

TimeGroup group_of(const workload::BreakdownRow& row) {
  if (row.kernel == "pipeline_wait") return TimeGroup::pipeline_wait;
  if (row.kernel == "host" || row.kernel == "launch") return TimeGroup::host;
  const auto& names = lowering::kKernelNames;
  const auto found = std::find(names.begin(), names.end(), row.kernel);
  if (found == names.end()) {
    return row.bound == kernels::Bound::network ? TimeGroup::communication : TimeGroup::compute;
  }
  const auto kind = static_cast<lowering::KernelKind>(found - names.begin());
  return is_communication(kind) ? TimeGroup::communication : TimeGroup::compute;
}

std::array<double, kTimeGroupCount> time_groups(const workload::Result& result) {
  std::array<double, kTimeGroupCount> groups{};
  for (const workload::BreakdownRow& row : result.breakdown) {
    groups[static_cast<std::size_t>(group_of(row))] += row.time_ms;
  }
  return groups;
}

}  // namespace tradewind::report
