#include "tests/validation/import_support.h"

using namespace tradewind::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

/// As vllm bench serve writes it; 100 requests of 1,024 and 128 tokens.
std::string vllm_serve(const std::string& load) {
  return R"({"date": "20260101-101500", "backend": "vllm", "model_id": "meta-llama/Llama-3.1-8B",
  "num_prompts": 100, )" +
         load + R"(, "burstiness": 1.0, "duration": 20.0, "completed": 100,
  "failed": 0, "total_input_tokens": 102400, "total_output_tokens": 12800,
  "request_throughput": 5.0, "request_goodput": null, "output_throughput": 640.0,
  "total_token_throughput": 5760.0, "mean_ttft_ms": 50.5, "median_ttft_ms": 48.0,
  "std_ttft_ms": 4.0, "p99_ttft_ms": 80.0, "mean_tpot_ms": 9.5, "median_tpot_ms": 9.4,
  "p99_tpot_ms": 12.0, "mean_itl_ms": 9.5, "median_itl_ms": 9.0, "p99_itl_ms": 30.0,
  "mean_e2el_ms": 1257.0})";
}
const std::string kClosedLoop = R"("request_rate": "inf", "max_concurrency": 16)";

}  // namespace

TEST_CASE("a vllm bench serve result becomes a serving point under its own load") {
  const json point = import_point("vllm-bench", vllm_serve(kClosedLoop));
  CHECK(point["id"] == "vllm-bench/run");
  CHECK(point["split"] == "check");
  CHECK(point["scenario"]["plan"]["tp"] == 2);
  CHECK(point["scenario"]["workload"] == json::parse(R"({"kind": "serving",
                        "requests": {"count": 100, "input_tokens": 1024, "output_tokens": 128},
                        "arrival": {"kind": "closed_loop", "concurrency": 16}})"));
  CHECK(point["measured"] ==
        json::parse(R"({"ttft_ms": 50.5, "tpot_ms": 9.5, "e2e_latency_ms": 1257.0,
            "makespan_ms": 20000.0, "output_tokens_per_s": 640.0, "total_tokens_per_s": 5760.0,
            "ttft_ms_p50": 48.0, "ttft_ms_p99": 80.0, "tpot_ms_p50": 9.4, "tpot_ms_p99": 12.0,
            "itl_ms_p50": 9.0, "itl_ms_p99": 30.0})"));
}

TEST_CASE("without a limit on concurrency a finite rate is Poisson and an infinite one a burst") {
  const auto arrival = [](const std::string& load) {
    return import_point("vllm-bench", vllm_serve(load))["scenario"]["workload"]["arrival"];
  };
  CHECK(arrival(R"("request_rate": 4.5, "max_concurrency": null)") ==
        json::parse(R"({"kind": "poisson", "requests_per_s": 4.5})"));
  CHECK(arrival(R"("request_rate": "inf", "max_concurrency": null)") ==
        json::parse(R"({"kind": "burst"})"));
}

TEST_CASE("a static batch is completed from the file and takes means only") {
  const json point = import_point("vllm-bench", vllm_serve(kClosedLoop), kStaticScenario);
  CHECK(point["scenario"]["workload"] ==
        json::parse(R"({"kind": "static_batch", "batch": 16, "input_tokens": 1024,
                        "output_tokens": 128})"));
  // 100 requests went through 16 places: the duration is not one batch's makespan.
  CHECK(point["measured"] ==
        json::parse(R"({"ttft_ms": 50.5, "tpot_ms": 9.5, "e2e_latency_ms": 1257.0,
                        "output_tokens_per_s": 640.0, "total_tokens_per_s": 5760.0})"));
  const json at_once =
      import_point("vllm-bench", vllm_serve(R"("request_rate": "inf", "max_concurrency": null)"),
                   kStaticScenario);
  CHECK(at_once["scenario"]["workload"]["batch"] == 100);
  CHECK(at_once["measured"]["makespan_ms"] == 20000.0);
  CHECK_THAT(import_complaint("vllm-bench", vllm_serve(R"("request_rate": 4)"), kStaticScenario),
             Contains("/workload/kind") && Contains("no static_batch"));
}

TEST_CASE("a vllm bench latency result is seconds of a batch, with its own spread") {
  const json point = import_point(
      "vllm-bench",
      R"({"avg_latency": 1.5, "latencies": [1.4, 1.5, 1.6], "percentiles": {"50": 1.5}})",
      kStaticScenario);
  CHECK(point["measured"] == json::parse(R"({"e2e_latency_ms": 1500.0})"));
  CHECK(point["scenario"]["workload"]["batch"] == 8);
  // Deviations -0.1, 0, 0.1 of three: standard deviation sqrt(0.02 / 2) = 0.1 of 1.5.
  CHECK(point["uncertainty"].get<double>() == Approx(0.1 / 1.5).epsilon(1e-9));
}

TEST_CASE("a vllm bench throughput result is a burst whose lengths the scenario gives") {
  const std::string result =
      R"({"elapsed_time": 10.0, "num_requests": 8, "total_num_tokens": 1280,
          "requests_per_second": 0.8, "tokens_per_second": 128.0})";
  CHECK(import_point("vllm-bench", result, kStaticScenario)["measured"] ==
        json::parse(R"({"makespan_ms": 10000.0, "total_tokens_per_s": 128.0})"));
  CHECK_THAT(import_complaint("vllm-bench", result), Contains("needs \"input_tokens\""));
}

TEST_CASE("several results in one file are points with numbers") {
  std::string line = vllm_serve(kClosedLoop);
  for (char& c : line) c = c == '\n' ? ' ' : c;
  const json trace = import_trace("vllm-bench", line + "\n\n" + line + "\n");
  REQUIRE(trace["points"].size() == 2);
  CHECK(trace["points"][1]["id"] == "vllm-bench/run/2");
}

TEST_CASE("sglang's lines may hold Python's Infinity") {
  const json point = import_point(
      "sglang-bench",
      R"({"backend": "sglang", "dataset_name": "random", "request_rate": Infinity, "max_concurrency": 4, "duration": 2.0, "completed": 10, "total_input_tokens": 1005, "total_output_tokens": 200, "input_throughput": 502.5, "output_throughput": 100.0, "mean_e2e_latency_ms": 700.0, "mean_ttft_ms": 30.0, "median_ttft_ms": 29.0, "mean_tpot_ms": 7.0, "mean_itl_ms": NaN, "median_itl_ms": NaN, "accept_length": null})"
      "\n");
  // 1,005 tokens of 10 requests: 100.5 each, to the nearest whole 101 (halves go up).
  CHECK(point["scenario"]["workload"] == json::parse(R"({"kind": "serving",
                        "requests": {"count": 10, "input_tokens": 101, "output_tokens": 20},
                        "arrival": {"kind": "closed_loop", "concurrency": 4}})"));
  CHECK(point["measured"] == json::parse(R"({"ttft_ms": 30.0, "ttft_ms_p50": 29.0, "tpot_ms": 7.0,
                        "e2e_latency_ms": 700.0, "makespan_ms": 2000.0,
                        "output_tokens_per_s": 100.0, "total_tokens_per_s": 602.5})"));
}

namespace {

std::string trtllm_report(int tp) {
  return R"({"engine": {"model": "llama", "version": "1.0.0", "quantization": "FP8"},
    "world_info": {"tp_size": )" +
         std::to_string(tp) + R"(, "pp_size": 1, "world_size": 2,
                   "issue_rate": Infinity},
    "request_info": {"num_requests": 64, "avg_num_concurrent_requests": 15.7,
                     "avg_input_length": 2048.0, "avg_output_length": 256.0},
    "performance": {"total_latency_ms": 9000.0, "avg_request_latency_ms": 2100.0,
                    "system_output_throughput_tok_s": 1820.0, "output_throughput_per_user_tok_s": 99,
                    "system_total_throughput_tok_s": 16384.0, "output_throughput_per_gpu_tok_s": 910.0},
    "streaming_metrics": {"avg_ttft_ms": 120.0, "avg_tpot_ms": 7.5,
                          "tpot_percentiles": {"p50": 7.4, "p90": 8.0, "p95": 8.1, "p99": 9.0}}})";
}

}  // namespace

TEST_CASE("a trtllm-bench report says its plan, which the scenario can't contradict") {
  const json point = import_point("trtllm-bench", trtllm_report(2));
  CHECK(point["scenario"]["plan"] == json::parse(R"({"tp": 2, "pp": 1})"));
  CHECK(point["scenario"]["workload"]["arrival"] ==
        json::parse(R"({"kind": "closed_loop", "concurrency": 16})"));
  CHECK(point["measured"] ==
        json::parse(R"({"ttft_ms": 120.0, "tpot_ms": 7.5, "tpot_ms_p50": 7.4, "tpot_ms_p90": 8.0,
            "tpot_ms_p99": 9.0, "e2e_latency_ms": 2100.0, "makespan_ms": 9000.0,
            "output_tokens_per_s": 1820.0, "total_tokens_per_s": 16384.0,
            "output_tokens_per_s_per_device": 910.0})"));
  CHECK_THAT(import_complaint("trtllm-bench", trtllm_report(4)),
             Contains("/plan/tp") && Contains("found 2, but 4 was measured"));
}

TEST_CASE("a batch that the report knows only as a mean stays the scenario's") {
  const json point = import_point("trtllm-bench", trtllm_report(2), kStaticScenario);
  CHECK(point["scenario"]["workload"]["batch"] == 8);
  CHECK(point["scenario"]["workload"]["input_tokens"] == 2048);
}

TEST_CASE("an AIPerf export is read by the units that it states") {
  const json point = import_point("aiperf", R"({
    "aiperf_version": "0.3.0",
    "input_config": {"loadgen": {"concurrency": 8, "request_count": 50}},
    "request_count": {"unit": "requests", "avg": 50.0},
    "time_to_first_token": {"unit": "ms", "avg": 40.0, "p50": 39.0, "p90": 45.0, "p99": 60.0},
    "inter_token_latency": {"unit": "us", "avg": 9000.0, "p50": 8900.0},
    "inter_chunk_latency": {"unit": "ms", "avg": 9.1, "p99": 25.0},
    "request_latency": {"unit": "sec", "avg": 1.5},
    "benchmark_duration": {"unit": "sec", "avg": 12.0},
    "input_sequence_length": {"unit": "tokens", "avg": 512.0},
    "output_sequence_length": {"unit": "tokens", "avg": 100.2},
    "output_token_throughput": {"unit": "tokens/sec", "avg": 417.5}})");
  CHECK(point["measured"].size() == 10);
  CHECK(point["measured"]["ttft_ms"] == 40.0);
  CHECK(point["measured"]["tpot_ms"].get<double>() == Approx(9.0));
  CHECK(point["measured"]["itl_ms_p99"] == 25.0);
  CHECK(point["measured"]["e2e_latency_ms"] == 1500.0);
  CHECK(point["measured"]["makespan_ms"] == 12000.0);
  CHECK(point["scenario"]["workload"]["arrival"]["concurrency"] == 8);
  CHECK(point["scenario"]["workload"]["requests"]["output_tokens"] == 100);
  CHECK_THAT(import_complaint("aiperf", R"({"request_latency": {"unit": "fortnights", "avg": 1}})"),
             Contains("/request_latency/unit") && Contains("fortnights"));
}

TEST_CASE("an AIPerf request log is summed up here, warm-up and failures left out") {
  const auto line = [](const char* phase, int start_ns, int end_ns, double ttft_ms,
                       const char* error) {
    return R"({"metadata": {"session_num": 0, "benchmark_phase": ")" + std::string(phase) +
           R"(", "request_start_ns": )" + std::to_string(start_ns) + R"(, "request_end_ns": )" +
           std::to_string(end_ns) + R"(}, "metrics": {"time_to_first_token": {"value": )" +
           std::to_string(ttft_ms) + R"(, "unit": "ms"}, "request_latency": {"value": )" +
           std::to_string(1e-6 * (end_ns - start_ns)) +
           R"(, "unit": "ms"}, "output_sequence_length": {"value": 10, "unit": "tokens"},
              "input_sequence_length": {"value": 30, "unit": "tokens"}}, "error": )" +
           error + "}";
  };
  std::string log = line("warmup", 0, 900'000'000, 500, "null") + "|" +
                    line("profiling", 1'000'000'000, 1'400'000'000, 10, "null") + "|" +
                    line("profiling", 1'500'000'000, 2'000'000'000, 20, "null") + "|" +
                    line("profiling", 1'500'000'000, 2'100'000'000, 99, R"({"code": 500})") + "|";
  for (char& c : log) c = c == '\n' ? ' ' : c == '|' ? '\n' : c;
  const std::string scenario =
      R"({"model": "llama-3.1-8b", "cluster": "h100-8", "runtime": "vllm", "plan": {"tp": 2},
          "workload": {"kind": "serving", "arrival": {"kind": "closed_loop", "concurrency": 1}}})";
  const json point = import_point("aiperf", log, scenario);
  CHECK(point["measured"]["ttft_ms"].get<double>() == Approx(15));
  // Linear between 10 and 20 at position 0.99 of one step.
  CHECK(point["measured"]["ttft_ms_p99"].get<double>() == Approx(19.9));
  CHECK(point["measured"]["e2e_latency_ms"].get<double>() == Approx(450));
  CHECK(point["measured"]["makespan_ms"].get<double>() == Approx(1000));
  CHECK(point["measured"]["output_tokens_per_s"].get<double>() == Approx(20));
  CHECK(point["scenario"]["workload"]["requests"]["count"] == 2);
  CHECK_THAT(point["notes"].get<std::string>(), Contains("1 requests failed"));
  CHECK_THAT(import_complaint("aiperf", log), Contains("needs \"arrival\""));
}

namespace {

std::string mlperf_summary(const std::string& scenario, const std::string& result,
                           const std::string& throughput) {
  return "================================================\nMLPerf Results Summary\n"
         "================================================\nSUT name : PySUT\nScenario : " +
         scenario + "\nMode     : PerformanceOnly\n" + throughput + "\nResult is : " + result +
         "\n  Min duration satisfied : Yes\n\nMean latency (ns)               : 9000000000\n"
         "Mean First Token latency (ns)   : 400000000\n"
         "99.00 percentile first token latency (ns)   : 1900000000\n"
         "Mean Time to Output Token (ns)  : 80000000\n\n"
         "samples_per_query : 24576\ntarget_qps : 70\nmin_query_count : 21580\n";
}
const std::string kServing =
    R"({"model": "llama-3.1-8b", "cluster": "h100-8", "runtime": "vllm", "plan": {"tp": 2},
        "workload": {"kind": "serving", "requests": {"input_tokens": 256, "output_tokens": 300}}})";

}  // namespace

TEST_CASE("an MLPerf Server summary is Poisson at its scheduled rate") {
  const json point = import_point(
      "mlperf",
      mlperf_summary(
          "Server", "VALID",
          "Scheduled samples per second    : 70.5\nCompleted tokens per second: 20000.5"),
      kServing);
  CHECK(point["scenario"]["workload"]["arrival"] ==
        json::parse(R"({"kind": "poisson", "requests_per_s": 70.5})"));
  CHECK(point["measured"] ==
        json::parse(R"({"ttft_ms": 400.0, "tpot_ms": 80.0, "e2e_latency_ms": 9000.0,
                        "ttft_ms_p99": 1900.0, "output_tokens_per_s": 20000.5})"));
}

TEST_CASE("an MLPerf Offline summary is a burst; samples count the scenario's tokens") {
  const json point = import_point(
      "mlperf", mlperf_summary("Offline", "VALID", "Samples per second: 80"), kServing);
  CHECK(point["scenario"]["workload"]["requests"]["count"] == 24576);
  CHECK(point["scenario"]["workload"]["arrival"]["kind"] == "burst");
  CHECK(point["measured"]["output_tokens_per_s"] == 24000.0);  // 80 x 300
}

TEST_CASE("an MLPerf run that is not valid is no measurement") {
  CHECK_THAT(import_complaint("mlperf", mlperf_summary("Offline", "INVALID", ""), kServing),
             StartsWith("run.txt:8: ") && Contains("found INVALID, expected VALID"));
  CHECK_THAT(import_complaint("mlperf", "Scenario : Offline\n", kServing),
             Contains("has no line \"mode\""));
  CHECK_THAT(import_complaint(
                 "mlperf", mlperf_summary("Server", "VALID", "Completed tokens per second: many"),
                 kServing),
             StartsWith("run.txt:7: ") && Contains("found \"many\""));
}

TEST_CASE("bad results are refused with file and place") {
  const std::string good = vllm_serve(kClosedLoop);
  CHECK_THAT(import_complaint("vllm-bench", ""), Contains("run.txt") && Contains("is empty"));
  CHECK_THAT(import_complaint("vllm-bench", good.substr(0, good.size() / 2)),
             StartsWith("run.txt") && Contains("is not JSON: line"));
  CHECK_THAT(import_complaint("vllm-bench", "[1, 2]"), Contains("expected an object"));
  CHECK_THAT(import_complaint("vllm-bench", R"({"hello": 1})"), Contains("is no result of vllm"));
  CHECK_THAT(import_complaint("vllm-bench", R"({"duration": 1, "completed": 0})"),
             Contains("/completed") && Contains("no request was completed"));
  CHECK_THAT(
      import_complaint("vllm-bench", R"({"duration": 1, "completed": 4, "mean_ttft_ms": -3})"),
      Contains("/mean_ttft_ms"));
  CHECK_THAT(
      import_complaint("sglang-bench", "{\"completed\": 1, \"duration\": 1}\n{\"completed\":\n"),
      StartsWith("run.txt:2"));
  CHECK_THAT(import_complaint("trtllm-bench", R"({"engine": {}})"), Contains("world_info"));
  CHECK_THAT(import_complaint("aiperf", R"({"ttft": 1})"), Contains("is no AIPerf export"));
}

TEST_CASE("what is wrong in the scenario is said of the scenario's file") {
  const std::string good = vllm_serve(kClosedLoop);
  CHECK_THAT(import_complaint("vllm-bench", good, ""), Contains("--scenario"));
  const auto request = request_for(
      R"({"model": "llama-3.1-8b", "cluster": "h100-8", "plan": {"tpp": 2},
          "workload": {"kind": "static_batch"}})");
  const std::string said = import_complaint("vllm-bench", good, request);
  CHECK_THAT(said, StartsWith(request.scenario) && Contains("/plan/tpp") && Contains("\"tp\""));
  CHECK_THAT(import_complaint("vllm-bench", good,
                              R"({"model": "llama-3.1-8b", "cluster": "h100-8",
                                  "workload": {"kind": "block"}})"),
             Contains("/workload/kind") && Contains("block"));
}
