#include "sim/kernels/copy_engine.h"

#include <cassert>

namespace tradewind::kernels {

Cost price_copy(double bytes, const hardware::Node& node) {
  const hardware::Contention& figures = node.accelerator.contention;
  assert(figures.copy_engine_efficiency > 0);
  const double link = node.link_bandwidth_bytes_per_s;
  const double transfer_s = bytes / (figures.copy_engine_efficiency * link);
  Cost cost;
  cost.latency_s = node.link_latency_s + figures.copy_engine_start_s;
  cost.duration_s = cost.latency_s + transfer_s;
  cost.hbm_bytes = bytes;
  cost.wire_bytes = bytes;
  cost.speed_of_light_s = bytes / link;
  cost.bound = cost.latency_s > transfer_s ? Bound::latency : Bound::network;
  cost.provenance = Provenance::assumed;
  return cost;
}

}  // namespace tradewind::kernels
