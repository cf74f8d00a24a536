#include "sim/report/result_json.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/report/made_up.h"

namespace {

using namespace tradewind;
using nlohmann::ordered_json;

std::vector<std::string> keys(const ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& item : object.items()) names.push_back(item.key());
  return names;
}

workload::Result through_text(const scenario::Scenario& scenario, const workload::Result& result) {
  const std::string text = report::result_json(scenario, result, "1").dump();
  return report::result_from_json(json::Document::parse(text, "test").root());
}

}  // namespace

TEST_CASE("the result object has the members of interface.md in their order") {
  const ordered_json json =
      report::result_json(testing::scenario_with({}), testing::made_up_result(1), "1.2.3");
  CHECK(keys(json) == std::vector<std::string>{"scenario", "feasible", "reason", "memory",
                                               "metrics", "breakdown", "communication", "notes",
                                               "provenance_ms", "simulator"});
  CHECK(keys(json["simulator"]) == std::vector<std::string>{"version", "events"});
  for (const char* name :
       {"weights_bytes", "kv_cache_bytes", "activations_bytes", "reserved_bytes", "capacity_bytes",
        "kv_cache_capacity_tokens", "max_batch", "gradients_bytes", "optimizer_bytes"}) {
    INFO(name);
    CHECK(json["memory"].contains(name));
  }
  CHECK(keys(json["breakdown"][0]) ==
        std::vector<std::string>{"phase", "kernel", "count", "time_ms", "share", "bound"});
}

TEST_CASE("every metric name of interface.md is there, null when nothing computed it") {
  const ordered_json json = report::result_json(testing::scenario_with({}), {}, "1");
  for (const char* name : {"ttft_ms",
                           "tpot_ms",
                           "e2e_latency_ms",
                           "makespan_ms",
                           "output_tokens_per_s",
                           "total_tokens_per_s",
                           "output_tokens_per_s_per_device",
                           "total_tokens_per_s_per_device",
                           "output_tokens_per_s_per_user",
                           "communication_ms",
                           "exposed_communication_ms",
                           "exposed_communication_fraction",
                           "compute_ms",
                           "prefill_pass_ms",
                           "decode_pass_ms",
                           "exposed_communication_ms_prefill",
                           "exposed_communication_ms_decode_per_token",
                           "model_flops_per_device_per_s",
                           "mfu",
                           "bubble_fraction",
                           "cost_per_million_output_tokens_usd",
                           "ttft_ms_p50",
                           "ttft_ms_p90",
                           "ttft_ms_p99",
                           "tpot_ms_p50",
                           "tpot_ms_p90",
                           "tpot_ms_p99",
                           "itl_ms_p50",
                           "itl_ms_p90",
                           "itl_ms_p99",
                           "goodput_requests_per_s"}) {
    INFO(name);
    REQUIRE(json["metrics"].contains(name));
    CHECK(json["metrics"][name].is_null());
  }
  CHECK(json["reason"].is_null());
  CHECK(json["memory"]["weights_bytes"].is_null());
}

TEST_CASE("the wall time appears only when it is asked for") {
  const auto scenario = testing::scenario_with({});
  CHECK_FALSE(report::result_json(scenario, {}, "1")["simulator"].contains("wall_s"));
  CHECK(report::result_json(scenario, {}, "1", 0.5)["simulator"]["wall_s"] == 0.5);
}

TEST_CASE("a result read back from its JSON text is the same to the last bit") {
  const auto scenario = testing::scenario_with({});
  const workload::Result result = testing::made_up_result(7);
  const workload::Result back = through_text(scenario, result);
  for (const workload::MetricField& field : workload::metric_fields()) {
    INFO(field.name);
    CHECK(back.metrics.*field.member == result.metrics.*field.member);
  }
  REQUIRE(back.memory);
  REQUIRE(back.memory->stages.size() == 2);
  CHECK(back.memory->fullest == 1);
  CHECK(back.memory->stages[0].weights_bytes == result.memory->stages[0].weights_bytes);
  CHECK(back.memory->kv_cache_capacity_tokens == 12'345);
  CHECK(back.provenance_ms == result.provenance_ms);
  CHECK(back.events == result.events);
  REQUIRE(back.breakdown.size() == result.breakdown.size());
  CHECK(back.breakdown[1].time_ms == result.breakdown[1].time_ms);
  CHECK(back.breakdown[0].bound == kernels::Bound::memory);
  REQUIRE(back.communication.size() == 2);
  CHECK(back.communication[0].collective == "all_reduce");
  CHECK(back.communication[0].in_flight_ms == result.communication[0].in_flight_ms);
  CHECK(back.communication[0].exposed_ms == result.communication[0].exposed_ms);
  CHECK(back.notes == result.notes);
  CHECK(report::result_json(scenario, back, "1").dump() ==
        report::result_json(scenario, result, "1").dump());
}

TEST_CASE("communication and notes are arrays, empty when there is nothing to say") {
  const ordered_json json = report::result_json(testing::scenario_with({}), {}, "1");
  CHECK(json["communication"] == ordered_json::array());
  CHECK(json["notes"] == ordered_json::array());
}

TEST_CASE("an infeasible result without memory comes back as one") {
  workload::Result result;
  result.feasible = false;
  result.reason = "tp 3 does not divide 32 heads";
  const workload::Result back = through_text(testing::scenario_with({}), result);
  CHECK_FALSE(back.feasible);
  CHECK(back.reason == result.reason);
  CHECK_FALSE(back.memory);
  CHECK_FALSE(back.metrics.ttft_ms);
}
