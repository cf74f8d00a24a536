#include "sim/workload/breakdown.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tradewind::workload {

using lowering::Kernel;

Breakdown::Row& Breakdown::row(std::string_view phase, std::string_view kernel) {
  for (Row& known : rows_) {
    if (known.kernel == kernel && known.phase == phase) return known;
  }
  Row& added = rows_.emplace_back();
  added.phase = phase;
  added.kernel = kernel;
  return added;
}

void Breakdown::grow(Row& row, std::int64_t count, Time time, kernels::Bound bound,
                     Provenance provenance) {
  row.count += count;
  row.time += time;
  if (time >= row.largest) row.largest = time, row.bound = bound, row.provenance = provenance;
}

void Breakdown::add(std::string_view phase, const Kernel& kernel, std::int64_t count, Time total) {
  Row& of_kernel = row(phase, to_string(kernel.kind));
  grow(of_kernel, count, total, kernel.cost.bound, kernel.cost.provenance);
  // Launches of one kind may differ in size (decode attention): each has this one's share.
  const double alone_s = kernel.duration().seconds();
  if (alone_s > 0) {
    of_kernel.speed_of_light_s += kernel.speed_of_light().seconds() * (total.seconds() / alone_s);
  }
  provenance_[static_cast<std::size_t>(kernel.cost.provenance)] += total;
  by_kind_[static_cast<std::size_t>(kernel.kind)] += total;
  total_ += total;
  if (is_communication(kernel.kind)) in_flight_[static_cast<std::size_t>(kernel.kind)] += total;
}

void Breakdown::add(std::string_view phase, const lowering::Step& step, std::int64_t times,
                    const lowering::LaunchCost& launch, RegionTimes& regions) {
  if (times == 0) return;
  if (const Kernel* kernel = lowering::kernel_of(step)) {
    add(phase, *kernel, times, kernel->duration() * times);
    return;
  }
  const auto& region = std::get<std::shared_ptr<const lowering::Region>>(step);
  const RegionCommunication communication = regions.communication(region, launch);
  for (const lowering::RegionKernel& part : kernels_of(*region)) {
    const bool transfers = part.kernel == &region->transfer;
    const Time once = transfers ? communication.exposed : part.kernel->duration() * part.count;
    add(phase, *part.kernel, part.count * times, once * times);
    if (transfers) {
      in_flight_[static_cast<std::size_t>(part.kernel->kind)] +=
          (communication.in_flight - communication.exposed) * times;
    }
  }
}

void Breakdown::add(std::string_view phase, const lowering::Segment& segment, std::int64_t times,
                    const lowering::LaunchCost& launch, RegionTimes& regions) {
  for (const lowering::Step& step : segment) add(phase, step, times, launch, regions);
}

Time Breakdown::communication() const {
  return std::accumulate(in_flight_.begin(), in_flight_.end(), Time{});
}

std::vector<CommunicationRow> Breakdown::communication_rows() const {
  std::vector<CommunicationRow> rows;
  for (std::size_t kind = 0; kind < in_flight_.size(); ++kind) {
    if (in_flight_[kind].ps == 0) continue;
    rows.push_back({std::string(lowering::kKernelNames[kind]), in_flight_[kind].milliseconds(),
                    by_kind_[kind].milliseconds()});
  }
  return rows;
}

void Breakdown::add_other(std::string_view phase, std::string_view name, std::int64_t count,
                          Time total, kernels::Bound bound) {
  if (total.ps == 0) return;
  grow(row(phase, name), count, total, bound, Provenance::assumed);
  total_ += total;
}

Time Breakdown::of(lowering::KernelKind kind) const {
  return by_kind_[static_cast<std::size_t>(kind)];
}

std::vector<BreakdownRow> Breakdown::rows(Time makespan) const {
  std::vector<Row> sorted = rows_;
  std::sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) {
    return std::tie(b.time, a.phase, a.kernel) < std::tie(a.time, b.phase, b.kernel);
  });
  std::vector<BreakdownRow> rows;
  for (const Row& from : sorted) {
    const double share =
        makespan.ps > 0 ? static_cast<double>(from.time.ps) / static_cast<double>(makespan.ps) : 0;
    rows.push_back({std::string(from.phase), std::string(from.kernel), from.count,
                    from.time.milliseconds(), share, from.bound, 1e3 * from.speed_of_light_s,
                    from.provenance});
  }
  return rows;
}

std::array<double, kProvenanceCount> Breakdown::provenance_ms() const {
  std::array<double, kProvenanceCount> sums{};
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = provenance_[i].milliseconds();
  return sums;
}

}  // namespace tradewind::workload
