#include "validation/import/device_profile.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace tradewind::validation {
namespace {

constexpr double kNsPerMs = 1e6;

double ms(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / kNsPerMs;
}

/// Events of one device or stream, by what they are for.
struct Busy {
  std::vector<Interval> compute, communication, copies;

  std::vector<Interval>& of(KernelKind kind) {
    if (kind == KernelKind::communication) return communication;
    return kind == KernelKind::copy ? copies : compute;
  }
};

std::vector<Interval> joined(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::vector<Interval> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return union_of(std::move(both));
}

struct Kernel {
  int count = 0;
  std::int64_t total_ns = 0;
};

struct DeviceEvents {
  Busy busy;
  std::map<std::int64_t, Busy> by_stream;
  std::map<std::uint32_t, Kernel> by_name;
  Interval span{std::numeric_limits<std::int64_t>::max(), 0};
};

std::map<std::int64_t, DeviceEvents> events_by_device(const KinetoEvents& trace,
                                                      const std::vector<KernelKind>& kinds) {
  std::map<std::int64_t, DeviceEvents> devices;
  for (const DeviceEvent& event : trace.events) {
    DeviceEvents& device = devices[event.device];
    const KernelKind kind = kinds[event.name];
    device.busy.of(kind).push_back(event.interval);
    device.by_stream[event.stream].of(kind).push_back(event.interval);
    Kernel& kernel = device.by_name[event.name];
    ++kernel.count;
    kernel.total_ns += event.interval.end - event.interval.begin;
    device.span.begin = std::min(device.span.begin, event.interval.begin);
    device.span.end = std::max(device.span.end, event.interval.end);
  }
  return devices;
}

StreamProfile profile_stream(std::int64_t stream, const Busy& busy) {
  const auto work = joined(busy.compute, busy.copies);
  const auto communication = union_of(busy.communication);
  const auto events = busy.compute.size() + busy.copies.size() + busy.communication.size();
  return {stream, static_cast<int>(events), ms(length_of(joined(work, communication))),
          ms(length_of(communication))};
}

std::vector<KernelProfile> profile_kernels(const DeviceEvents& device, const KinetoEvents& trace,
                                           const std::vector<KernelKind>& kinds) {
  std::vector<KernelProfile> kernels;
  for (const auto& [name, kernel] : device.by_name) {
    kernels.push_back({trace.names[name], kinds[name], kernel.count, ms(kernel.total_ns)});
  }
  std::sort(kernels.begin(), kernels.end(), [](const KernelProfile& a, const KernelProfile& b) {
    return std::tie(b.total_ms, a.name) < std::tie(a.total_ms, b.name);
  });
  return kernels;
}

DeviceProfile profile_device(std::int64_t number, const DeviceEvents& device) {
  const auto communication = union_of(device.busy.communication);
  const auto work = joined(device.busy.compute, device.busy.copies);
  const std::int64_t overlapped = overlap_of(communication, work);
  const std::int64_t span = device.span.end - device.span.begin;
  DeviceProfile profile;
  profile.device = number;
  profile.span_ms = ms(span);
  profile.compute_ms = ms(length_of(union_of(device.busy.compute)));
  profile.work_ms = ms(length_of(work));
  profile.communication_ms = ms(length_of(communication));
  profile.overlapped_ms = ms(overlapped);
  profile.exposed_communication_ms = ms(length_of(communication) - overlapped);
  profile.idle_ms = ms(span - (length_of(work) + length_of(communication) - overlapped));
  for (const auto& [stream, busy] : device.by_stream) {
    profile.streams.push_back(profile_stream(stream, busy));
  }
  return profile;
}

}  // namespace

std::vector<DeviceProfile> profile_devices(const KinetoEvents& trace) {
  std::vector<KernelKind> kinds;
  kinds.reserve(trace.names.size());
  for (const std::string& name : trace.names) kinds.push_back(kind_of_kernel(name));
  std::vector<DeviceProfile> profiles;
  for (const auto& [number, device] : events_by_device(trace, kinds)) {
    profiles.push_back(profile_device(number, device));
    profiles.back().kernels = profile_kernels(device, trace, kinds);
  }
  return profiles;
}

}  // namespace tradewind::validation
