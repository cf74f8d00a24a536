#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "validation/import/intervals.h"

namespace tradewind::validation {

/// Something a device did: a kernel, a copy or a fill.
struct DeviceEvent {
  Interval interval;
  std::int64_t device = 0, stream = 0;
  std::uint32_t name = 0;  ///< index into KinetoEvents::names
};

/// What of a PyTorch profiler trace says how devices spent their time.
struct KinetoEvents {
  std::vector<DeviceEvent> events;      ///< in the file's order
  std::vector<std::string> names;       ///< each once
  std::map<std::string, int> launches;  ///< host calls that start kernels, by name
  int steps = 0;                        ///< ProfilerStep annotations of the host
};

/// Reads the trace as a stream: memory grows with the device's events, not with the file. The
/// document is an object with "traceEvents", or their array alone. Device events are complete
/// events ("ph": "X") of category kernel, gpu_memcpy or gpu_memset; stream 0, which is ROCm's
/// default, is one like the others; annotations that are mirrored to the device are not work.
/// Throws InputError for what is not JSON or cut short (with line and column) and for a device
/// event without a sane ts and dur (with its place, /traceEvents/N).
KinetoEvents read_kineto_events(std::istream& in, const std::string& file);

}  // namespace tradewind::validation
