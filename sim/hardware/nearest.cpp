#include "sim/hardware/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tradewind::hardware {
namespace {

double apart(double a, double b) {
  return std::abs(std::log(a / b));
}

/// How far two datasheets are from each other; 0 = the same.
double distance(const Accelerator& a, const Accelerator& b) {
  constexpr auto kBf16 = static_cast<std::size_t>(DataType::bf16);
  return apart(a.flops_per_clock_per_compute_unit[kBf16],
               b.flops_per_clock_per_compute_unit[kBf16]) +
         apart(a.compute_units, b.compute_units) + apart(a.clock_hz, b.clock_hz) +
         apart(a.hbm_bandwidth_bytes_per_s, b.hbm_bandwidth_bytes_per_s);
}

bool is_nearer(const Accelerator& one, const Accelerator& other, const Accelerator& device) {
  const bool related = one.architecture == device.architecture;
  if (related != (other.architecture == device.architecture)) return related;
  const double of_one = distance(one, device), of_other = distance(other, device);
  return of_one != of_other ? of_one < of_other : one.name < other.name;
}

/// Of the parts that share the architecture of `device`, the nearest on which one was measured.
SustainedProduct sustained_on_kin(const Accelerator& device, std::span<const Accelerator> others) {
  const Accelerator* kin = nullptr;
  for (const Accelerator& other : others) {
    if (other.architecture != device.architecture || other.sustained.m == 0) continue;
    if (kin == nullptr || is_nearer(other, *kin, device)) kin = &other;
  }
  return kin == nullptr ? SustainedProduct{} : kin->sustained;
}

}  // namespace

std::string_view family_of(std::string_view accelerator) {
  return accelerator.substr(0, accelerator.find('-'));
}

bool is_measured(const Accelerator& accelerator) {
  return std::any_of(accelerator.coefficients.begin(), accelerator.coefficients.end(),
                     [](const CoefficientSet& set) {
                       return set.op == "gemm" && set.provenance != Provenance::assumed;
                     });
}

const Accelerator* nearest(const Accelerator& device, std::span<const Accelerator> candidates) {
  const Accelerator* best = nullptr;
  for (const Accelerator& candidate : candidates) {
    if (candidate.vendor != device.vendor || !is_measured(candidate)) continue;
    if (best == nullptr || is_nearer(candidate, *best, device)) best = &candidate;
  }
  return best;
}

Accelerator carried_over(Accelerator device, const Accelerator& stand_in,
                         std::span<const Accelerator> others) {
  device.kernels_from = stand_in.name;
  device.coefficients = stand_in.coefficients;
  for (CoefficientSet& set : device.coefficients) {
    if (set.provenance != Provenance::assumed) {
      set.source = fmt::format("carried over from {}: {}", stand_in.name, set.source);
    }
    set.provenance = Provenance::assumed;
    set.fit.reset(), set.check.reset();
  }
  device.launch_eager_s = stand_in.launch_eager_s;
  device.launch_graph_s = stand_in.launch_graph_s;
  device.contention = stand_in.contention;
  device.sustained = sustained_on_kin(device, others);
  device.hbm_capacity_bytes =
      device.hbm_nominal_bytes * stand_in.hbm_capacity_bytes / stand_in.hbm_nominal_bytes;
  return device;
}

}  // namespace tradewind::hardware
