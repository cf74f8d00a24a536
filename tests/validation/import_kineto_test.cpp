#include "tests/validation/import_support.h"
#include "validation/import/device_profile.h"

using namespace tradewind;
using namespace tradewind::testing;
using namespace tradewind::validation;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::string event(const std::string& category, const std::string& name, double ts_us, double dur_us,
                  int stream, int device = 0) {
  return json{{"ph", "X"},
              {"cat", category},
              {"name", name},
              {"pid", device},
              {"tid", stream},
              {"ts", ts_us},
              {"dur", dur_us},
              {"args", {{"stream", stream}, {"device", device}, {"shape", {{"stream", 99}}}}}}
      .dump();
}

std::string trace_text(const std::vector<std::string>& events) {
  std::string text = R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "AMD"}],
    "traceEvents": [{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python"}})";
  for (const std::string& one : events) text += ",\n" + one;
  return text + R"(], "traceName": "t.json", "displayTimeUnit": "ms"})";
}

const char* const kAllReduce = "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)";

/// ROCm's shape: work on the default stream 0, RCCL on stream 3; in microseconds
///   compute [0, 40) and [50, 80), a copy [80, 90), communication [30, 60) and [85, 105).
/// Overlap: [30, 40), [50, 60) and [85, 90), 25; communication alone: 50 - 25 = 25; idle: none.
const std::vector<std::string> kAmdEvents = {
    event("user_annotation", "ProfilerStep#7", 0, 110, 1),
    event("cuda_runtime", "hipLaunchKernel", 1, 1, 1),
    event("cuda_runtime", "hipExtModuleLaunchKernel", 2, 1, 1),
    event("cpu_op", "aten::mm", 0, 5, 1),
    event("kernel", "Cijk_Alik_Bljk_BBS_BH", 0, 40, 0),
    event("kernel", "Cijk_Alik_Bljk_BBS_BH", 50, 30, 0),
    event("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 80, 10, 0),
    event("kernel", kAllReduce, 30, 30, 3),
    event("gpu_user_annotation", "ProfilerStep#7", 0, 500, 0),
    event("kernel", kAllReduce, 85, 20, 3)};

const std::string kBlock =
    R"({"model": "llama-3.1-8b", "cluster": "mi300x-8", "precision": "bf16", "runtime": "ideal",
        "plan": {"tp": 8}, "workload": {"kind": "block", "block": "mlp", "batch": 1,
        "sequence_length": 1024, "pass": "forward"}})";

}  // namespace

TEST_CASE("exposed communication is what communication alone covers, on streams from 0") {
  const json trace = import_trace("kineto", trace_text(kAmdEvents), kBlock);
  const json& device = trace["profile"]["devices"][0];
  const auto is = [&](const char* name, double ms) {
    CHECK(device[name].get<double>() == Approx(ms).epsilon(1e-12));
  };
  is("span_ms", 0.105);
  is("compute_busy_ms", 0.070);
  is("communication_ms", 0.050);
  is("overlapped_communication_ms", 0.025);
  is("exposed_communication_ms", 0.025);
  CHECK(device["idle_ms"].get<double>() == Approx(0).margin(1e-12));
  REQUIRE(device["streams"].size() == 2);
  CHECK(device["streams"][0]["stream"] == 0);
  CHECK(device["streams"][0]["events"] == 3);
  CHECK(device["streams"][1]["communication_ms"].get<double>() == Approx(0.050));
  REQUIRE(device["top_kernels"].size() == 3);
  CHECK(device["top_kernels"][0]["kernel"] == "Cijk_Alik_Bljk_BBS_BH");
  CHECK(device["top_kernels"][1]["kind"] == "communication");
  CHECK(trace["profile"]["launches"] ==
        json::parse(R"({"hipLaunchKernel": 1, "hipExtModuleLaunchKernel": 1})"));
  const json& measured = trace["points"][0]["measured"];
  CHECK(measured["makespan_ms"].get<double>() == Approx(0.105));
  CHECK(measured["communication_ms"].get<double>() == Approx(0.050));
  CHECK(measured["exposed_communication_ms"].get<double>() == Approx(0.025));
  CHECK(measured["compute_ms"].get<double>() == Approx(0.080));
  CHECK(trace["points"][0]["scenario"]["workload"]["kind"] == "block");
}

TEST_CASE("figures of a point are a step's, of the device with most communication") {
  std::vector<std::string> events = kAmdEvents;
  events.push_back(event("user_annotation", "ProfilerStep#8", 110, 110, 1));
  events.push_back(event("kernel", kAllReduce, 0, 80, 3, 1));
  const json trace = import_trace("kineto", trace_text(events), kBlock);
  CHECK(trace["profile"]["steps"] == 2);
  CHECK(trace["profile"]["devices"].size() == 2);
  CHECK(trace["points"][0]["measured"]["makespan_ms"].get<double>() == Approx(0.040));
}

TEST_CASE("without a scenario there is a profile and no point; an array alone is a trace too") {
  const Imported imported =
      import_text("kineto", "[" + kAmdEvents[4] + "," + kAmdEvents[7] + "]", request_for(""));
  const json document = json::parse(imported.text);
  CHECK(document["profile"]["devices"][0]["span_ms"].get<double>() == Approx(0.060));
  CHECK_FALSE(document.contains("points"));
  CHECK(imported.notes.size() == 1);
}

TEST_CASE("busy and idle make up the span of every device") {
  // Any events will do: starts and lengths from a small linear congruence.
  std::vector<std::string> events;
  std::uint32_t state = 1;
  const auto next = [&](std::uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
  };
  for (int i = 0; i < 300; ++i) {
    const bool is_communication = next(3) == 0;
    events.push_back(event("kernel", is_communication ? kAllReduce : "gemm", next(10'000) * 0.125,
                           next(80) * 0.125, static_cast<int>(next(4))));
  }
  std::istringstream in(trace_text(events));
  for (const DeviceProfile& device : profile_devices(read_kineto_events(in, "t.json"))) {
    CHECK(device.work_ms + device.exposed_communication_ms + device.idle_ms ==
          Approx(device.span_ms).epsilon(1e-12));
    CHECK(device.overlapped_ms + device.exposed_communication_ms ==
          Approx(device.communication_ms).epsilon(1e-12));
  }
}

TEST_CASE("kernels that communicate are known by name") {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_AllGather_RING_LL", "rcclGeneric", "Memcpy PtoP (Device -> Device)",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(...)",
        "void deep_ep::intranode::dispatch<8>(...)",
        "void tensorrt_llm::kernels::oneShotAllReduceKernel<...>"}) {
    CHECK(kind_of_kernel(name) == KernelKind::communication);
  }
  CHECK(kind_of_kernel("Memcpy HtoD (Pinned -> Device)") == KernelKind::copy);
  CHECK(kind_of_kernel("Memset (Device)") == KernelKind::copy);
  CHECK(kind_of_kernel("reduce_kernel<512, 1>") == KernelKind::compute);
}

TEST_CASE("traces that can't be read are refused with their place") {
  const std::string good = trace_text(kAmdEvents);
  CHECK_THAT(import_complaint("kineto", good.substr(0, good.size() / 2), ""),
             Contains("run.txt") && Contains("is not JSON, or cut short") && Contains("line"));
  CHECK_THAT(import_complaint("kineto", "", ""), Contains("is not JSON"));
  CHECK_THAT(import_complaint("kineto", R"({"events": []})", ""), Contains("traceEvents"));
  CHECK_THAT(import_complaint("kineto", R"({"traceEvents": []})", ""),
             Contains("no device events"));
  CHECK_THAT(
      import_complaint("kineto", trace_text({kAmdEvents[4], event("kernel", "k", 1, -2, 0)}), ""),
      Contains("/traceEvents/2") && Contains("\"dur\""));
  CHECK_THAT(
      import_complaint(
          "kineto", trace_text({R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1})"}),
          ""),
      Contains("/traceEvents/1") && Contains("\"pid\""));
}
