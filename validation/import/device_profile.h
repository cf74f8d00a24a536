#pragma once

#include <string>
#include <vector>

#include "validation/import/kernel_kinds.h"
#include "validation/import/kineto_events.h"

namespace tradewind::validation {

/// One stream's share of a device's time.
struct StreamProfile {
  std::int64_t stream = 0;
  int events = 0;
  double busy_ms = 0, communication_ms = 0;  ///< unions within the stream
};

/// All events of one name on a device.
struct KernelProfile {
  std::string name;
  KernelKind kind = KernelKind::compute;
  int count = 0;
  double total_ms = 0;
};

/// How one device spent the time from its first event to its last, by interval arithmetic. With C
/// the moments that have a communication in flight, W those with other work (kernels, local copies
/// and fills) and S the span:
///   communication = |C|, work = |W|, overlapped = |C and W|, idle = |S| - |C or W|
///   exposed communication = |C| - |C and W|: what of the span is covered by communication alone.
/// That is what interface.md's definition (the span less that of the same tasks with free
/// communication) comes to while the other work would not move closer together; waits that
/// communication causes on other streams are idle time here, and exposed there.
struct DeviceProfile {
  std::int64_t device = 0;
  double span_ms = 0, compute_ms = 0, work_ms = 0, communication_ms = 0, overlapped_ms = 0;
  double exposed_communication_ms = 0, idle_ms = 0;
  std::vector<StreamProfile> streams;  ///< by number
  std::vector<KernelProfile> kernels;  ///< by total time, largest first
};

/// Every device of the trace, by number.
std::vector<DeviceProfile> profile_devices(const KinetoEvents& trace);

}  // namespace tradewind::validation
