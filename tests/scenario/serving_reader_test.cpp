#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/core/error.h"
#include "sim/scenario/catalogue.h"
#include "sim/scenario/dataset.h"
#include "sim/scenario/step_bounds.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

const Json kRequests = {{"count", 10}, {"input_tokens", 2048}, {"output_tokens", 512}};

scenario::Scenario read(const Json& workload, const std::string& file = "test") {
  Json document = {{"model", "llama-3.1-8b"}, {"cluster", "mi325x-8"}, {"workload", workload}};
  document["workload"]["kind"] = "serving";
  return scenario::read_scenario(json::Node(document, file, ""), testing::catalogue());
}

scenario::Serving serving(const Json& workload) {
  return std::get<scenario::Serving>(read(workload).workload);
}

scenario::Serving with_arrival(const Json& arrival) {
  return serving({{"requests", kRequests}, {"arrival", arrival}});
}

scenario::Serving with_input(const Json& length) {
  Json requests = kRequests;
  requests["input_tokens"] = length;
  return serving({{"requests", requests}});
}

}  // namespace

TEST_CASE("serving reads what interface.md writes") {
  const scenario::Serving all =
      serving({{"requests", kRequests},
               {"arrival", {{"kind", "poisson"}, {"requests_per_s", 4}}},
               {"scheduler",
                {{"name", "vllm-v0"},
                 {"max_num_seqs", 64},
                 {"max_num_batched_tokens", 512},
                 {"enable_chunked_prefill", true},
                 {"gpu_memory_utilization", 0.8},
                 {"block_size", 32},
                 {"enable_prefix_caching", false},
                 {"capacity_scheduler_policy", "max_utilization"}}},
               {"slo", {{"ttft_ms", 500}, {"tpot_ms", 50}, {"e2e_latency_ms", 9000}}},
               {"router", "kv_aware"}});
  CHECK(all.requests.count == 10);
  CHECK(all.requests.input.mean == 2048);
  CHECK(all.requests.output.mean == 512);
  CHECK((all.arrival.kind == scenario::Arrival::Kind::poisson && all.arrival.requests_per_s == 4));
  CHECK(all.scheduler.name == "vllm-v0");
  CHECK(all.scheduler.max_num_seqs == 64);
  CHECK(all.scheduler.max_num_batched_tokens == 512);
  CHECK(all.scheduler.enable_chunked_prefill == true);
  CHECK(all.scheduler.gpu_memory_utilization == 0.8);
  CHECK(all.scheduler.block_size == 32);
  CHECK(all.scheduler.enable_prefix_caching == false);
  CHECK(all.scheduler.capacity_scheduler_policy == "max_utilization");
  CHECK(all.slo.ttft_ms == 500);
  CHECK(all.slo.tpot_ms == 50);
  CHECK(all.slo.e2e_latency_ms == 9000);
  CHECK(all.router == scenario::Router::kv_aware);
}

TEST_CASE("without more than requests, serving is a burst under the runtime's scheduler") {
  const scenario::Serving least = serving({{"requests", kRequests}});
  CHECK(least.arrival.kind == scenario::Arrival::Kind::burst);
  CHECK(least.scheduler.name.empty());
  CHECK_FALSE(least.scheduler.max_num_seqs);
  CHECK_FALSE(least.slo.any());
  CHECK(least.router == scenario::Router::round_robin);
}

TEST_CASE("arrivals come in five kinds") {
  using Kind = scenario::Arrival::Kind;
  const scenario::Arrival loop =
      with_arrival({{"kind", "closed_loop"}, {"concurrency", 64}}).arrival;
  CHECK((loop.kind == Kind::closed_loop && loop.concurrency == 64));
  const scenario::Arrival gamma =
      with_arrival({{"kind", "gamma"}, {"requests_per_s", 2.5}, {"burstiness", 0.5}}).arrival;
  CHECK((gamma.kind == Kind::gamma && gamma.requests_per_s == 2.5 && gamma.burstiness == 0.5));
  CHECK(with_arrival({{"kind", "gamma"}, {"requests_per_s", 1}}).arrival.burstiness == 1);
  CHECK(with_arrival({{"kind", "burst"}}).arrival.kind == Kind::burst);
  CHECK_THROWS_WITH(with_arrival({{"kind", "file"}}),
                    Contains("/workload/arrival") && Contains("no times of their own"));
}

TEST_CASE("lengths are numbers or distributions") {
  using Kind = scenario::Length::Kind;
  const auto normal =
      with_input({{"distribution", "normal"}, {"mean", 900}, {"stddev", 90}, {"max", 1000}})
          .requests;
  CHECK((normal.input.kind == Kind::normal && normal.input.mean == 900 &&
         normal.input.standard_deviation == 90 && normal.input.minimum == 1 &&
         normal.input.maximum == 1000));
  const auto log =
      with_input({{"distribution", "lognormal"}, {"mean", 900}, {"standard_deviation", 90}})
          .requests;
  CHECK((log.input.kind == Kind::lognormal && log.input.standard_deviation == 90));
  const auto uniform = with_input({{"distribution", "uniform"}, {"min", 10}, {"max", 30}}).requests;
  CHECK(scenario::mean_tokens(uniform).input == 20);
  const auto exponential = with_input({{"distribution", "exponential"}, {"mean", 70}}).requests;
  CHECK((exponential.input.kind == Kind::exponential && exponential.input.mean == 70));
  CHECK(with_input({{"distribution", "fixed"}, {"mean", 70}}).requests.input.kind == Kind::fixed);
}

TEST_CASE("a resolved serving scenario reads back as itself") {
  const Json lengths = {{"distribution", "lognormal"}, {"mean", 900}, {"stddev", 90}};
  const std::vector<Json> workloads = {
      {{"requests", kRequests}},
      {{"requests", {{"dataset", "LongAlpaca"}, {"count", 5}}},
       {"arrival", {{"kind", "gamma"}, {"requests_per_s", 3}, {"burstiness", 0.7}}},
       {"scheduler", "tensorrt-llm"},
       {"router", "least_loaded"}},
      {{"requests",
        {{"count", 3},
         {"input_tokens", lengths},
         {"output_tokens", {{"distribution", "uniform"}, {"min", 2}, {"max", 9}}},
         {"prefix_groups", 2},
         {"prefix_tokens", 64}}},
       {"arrival", {{"kind", "closed_loop"}, {"concurrency", 2}}},
       {"scheduler", {{"max_num_seqs", 8}, {"gpu_memory_utilization", 0.7}}},
       {"slo", {{"ttft_ms", 100}}}}};
  for (const Json& workload : workloads) {
    const Json once = scenario::to_json(read(workload));
    const Json twice = scenario::to_json(
        scenario::read_scenario(json::Node(once, "again", ""), testing::catalogue()));
    CHECK(once == twice);
  }
}

TEST_CASE("every data set can be read and is found under the paper's name") {
  const std::string folder = std::string(TRADEWIND_SOURCE_DIR) + "/configs/datasets";
  for (const std::string& name : scenario::dataset_names(folder)) {
    CHECK(serving({{"requests", {{"dataset", name}}}}).requests.count > 0);
  }
  // Table 2 of arXiv 2603.05692.
  const auto mean = [](const char* name) {
    return scenario::mean_tokens(serving({{"requests", {{"dataset", name}}}}).requests);
  };
  CHECK((mean("LongAlpaca").input == 9092 && mean("LongAlpaca").output == 208));
  CHECK((mean("BBH+GSM8K+HumanEval").input == 106 && mean("BBH+GSM8K+HumanEval").output == 26));
  CHECK((mean("mlperf-405b").input == 9428 && mean("mlperf-405b").output == 684));
  CHECK(serving({{"requests", {{"dataset", "longalpaca"}}}}).requests.count == 12000);
  CHECK_THROWS_WITH(serving({{"requests", {{"dataset", "longalpacca"}}}}),
                    Contains("did you mean \"longalpaca\"?"));
}

TEST_CASE("the requests of a file are found beside the scenario, read once, and counted") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       ("tradewind-serving-reader-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "own.csv") << "arrival_s,input_tokens,output_tokens\n0,10,2\n1.5,30,4\n";
  const auto from = [&](const Json& requests) {
    const Json workload = {{"requests", requests}, {"arrival", {{"kind", "file"}}}};
    return std::get<scenario::Serving>(
        read(workload, (folder / "scenario.json").string()).workload);
  };
  const scenario::Serving all = from({{"file", "own.csv"}});
  CHECK(all.requests.count == 2);
  CHECK(scenario::mean_tokens(all.requests).input == 20);
  CHECK(from({{"file", "own.csv"}, {"count", 1}}).requests.file == all.requests.file);
  CHECK_THROWS_WITH(from({{"file", "own.csv"}, {"count", 3}}),
                    Contains("/workload/requests/count") && Contains("the file has 2"));
  CHECK_THROWS_WITH(from({{"file", "other.csv"}}), Contains("other.csv"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("mistakes in serving are one clear line") {
  const auto requests = [](const Json& changes) {
    Json changed = kRequests;
    changed.update(changes);
    return serving({{"requests", changed}});
  };
  const auto scheduler = [](const Json& options) {
    return serving({{"requests", kRequests}, {"scheduler", options}});
  };
  CHECK_THROWS_WITH(serving(Json::object()), Contains("requests"));
  CHECK_THROWS_WITH(serving({{"requests", kRequests}, {"arrivals", 1}}),
                    Contains("did you mean \"arrival\"?"));
  CHECK_THROWS_WITH(requests({{"count", 0}}), Contains("/workload/requests/count"));
  CHECK_THROWS_WITH(requests({{"output_tokens", 1.5}}),
                    Contains("/workload/requests/output_tokens"));
  CHECK_THROWS_WITH(requests({{"dataset", "longalpaca"}}), Contains("/workload/requests/"));
  CHECK_THROWS_WITH(with_arrival({{"kind", "poison"}}), Contains("did you mean \"poisson\"?"));
  CHECK_THROWS_WITH(with_arrival({{"kind", "poisson"}}), Contains("requests_per_s"));
  CHECK_THROWS_WITH(with_arrival({{"kind", "poisson"}, {"requests_per_s", 0}}),
                    Contains("/workload/arrival/requests_per_s"));
  CHECK_THROWS_WITH(with_arrival({{"kind", "burst"}, {"concurrency", 4}}), Contains("concurrency"));
  CHECK_THROWS_WITH(with_input({{"distribution", "gauss"}, {"mean", 4}}),
                    Contains("/workload/requests/input_tokens/distribution"));
  CHECK_THROWS_WITH(with_input({{"distribution", "normal"}, {"mean", 4}}), Contains("stddev"));
  CHECK_THROWS_WITH(with_input({{"distribution", "uniform"}, {"min", 4}, {"max", 3}}),
                    Contains("max 3 is below min 4"));
  CHECK_THROWS_WITH(with_input({{"distribution", "exponential"}, {"mean", 4}, {"stddev", 3}}),
                    Contains("stddev"));
  CHECK_THROWS_WITH(scheduler("vlm"), Contains("did you mean \"vllm\"?"));
  CHECK_THROWS_WITH(scheduler({{"max_num_seq", 4}}), Contains("did you mean \"max_num_seqs\"?"));
  CHECK_THROWS_WITH(scheduler({{"gpu_memory_utilization", 1.5}}),
                    Contains("/workload/scheduler/gpu_memory_utilization"));
  CHECK_THROWS_WITH(serving({{"requests", kRequests}, {"router", "random"}}),
                    Contains("/workload/router"));
  CHECK_THROWS_WITH(serving({{"requests", kRequests}, {"slo", {{"ttft", 5}}}}),
                    Contains("did you mean \"ttft_ms\"?"));
}
