// The Chrome trace of the PyTorch profiler (pytorch/kineto, libkineto/src/output_json.cpp), of one
// process, on CUDA or ROCm: "traceEvents" with complete events, ts and dur in microseconds. What
// becomes of them is in kineto_events.h, the interval arithmetic in device_profile.h.
//
// The trace gets a member "profile": by device, times in ms, kernels a stream, the kernels that
// took most time. With --scenario it gets a point as well: makespan_ms, communication_ms,
// exposed_communication_ms and compute_ms (makespan less exposed communication) of the device with
// most communication, each divided by the number of profiled steps (host annotations
// "ProfilerStep#N"; one when there are none), so the scenario must be one step of what ran. A
// collective's kernel also waits for its peers, and that wait is in communication_ms.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "validation/import/device_profile.h"
#include "validation/import/formats.h"
#include "validation/import/measured_run.h"

namespace tradewind::validation {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kTopKernels = 20;

Json device_json(const DeviceProfile& device) {
  Json streams = Json::array(), kernels = Json::array();
  for (const StreamProfile& stream : device.streams) {
    streams.push_back({{"stream", stream.stream},
                       {"events", stream.events},
                       {"busy_ms", stream.busy_ms},
                       {"communication_ms", stream.communication_ms}});
  }
  const std::size_t shown = std::min(kTopKernels, device.kernels.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelProfile& kernel = device.kernels[i];
    kernels.push_back({{"kernel", kernel.name},
                       {"kind", to_string(kernel.kind)},
                       {"count", kernel.count},
                       {"total_ms", kernel.total_ms},
                       {"mean_us", 1e3 * kernel.total_ms / kernel.count}});
  }
  return {{"device", device.device},
          {"span_ms", device.span_ms},
          {"compute_busy_ms", device.compute_ms},
          {"communication_ms", device.communication_ms},
          {"overlapped_communication_ms", device.overlapped_ms},
          {"exposed_communication_ms", device.exposed_communication_ms},
          {"idle_ms", device.idle_ms},
          {"streams", streams},
          {"top_kernels", kernels}};
}

Json profile_json(const std::vector<DeviceProfile>& devices, const KinetoEvents& trace) {
  Json profile = {{"steps", trace.steps}, {"launches", trace.launches}};
  for (const DeviceProfile& device : devices) profile["devices"].push_back(device_json(device));
  return profile;
}

MeasuredRun run_of(const std::vector<DeviceProfile>& devices, int profiled_steps) {
  const DeviceProfile& busiest = *std::max_element(
      devices.begin(), devices.end(),
      [](const auto& a, const auto& b) { return a.communication_ms < b.communication_ms; });
  const double steps = std::max(1, profiled_steps);
  MeasuredRun run;
  run.add("makespan_ms", busiest.span_ms / steps);
  run.add("communication_ms", busiest.communication_ms / steps);
  run.add("exposed_communication_ms", busiest.exposed_communication_ms / steps);
  run.add("compute_ms", (busiest.span_ms - busiest.exposed_communication_ms) / steps);
  run.notes.push_back(
      fmt::format("Device {} of a profile, mean of {:g} steps, host time before "
                  "the first kernel left out",
                  busiest.device, steps));
  return run;
}

}  // namespace

Imported import_kineto(std::istream& in, const ImportRequest& request) {
  const KinetoEvents trace = read_kineto_events(in, request.name());
  if (trace.events.empty()) {
    throw InputError(request.name(), "/traceEvents",
                     "has no device events (category kernel): was the device profiled?");
  }
  const std::vector<DeviceProfile> devices = profile_devices(trace);
  const Json about = {{"profile", profile_json(devices, trace)}};
  if (!request.scenario.empty()) {
    return trace_of({run_of(devices, trace.steps)}, "kineto", request, about);
  }
  Imported imported;
  imported.text = about.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  imported.notes.emplace_back("without --scenario there is a profile, but no point to validate");
  return imported;
}

}  // namespace tradewind::validation
