#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/cli/program.h"

using namespace tradewind::testing;
using Catch::Matchers::Contains;

namespace {

const std::string kTraining =
    R"({"model": "llama-3.1-8b", "cluster": "h100-8", "precision": "bf16", "runtime": "megatron",
  "plan": {"tp": 4, "pp": 2, "sequence_parallel": true},
  "workload": {"kind": "training", "sequence_length": 4096, "micro_batch": 1, "global_batch": 8}})";

}  // namespace

TEST_CASE("a training run prints its step, writes its page and its timeline") {
  const Folder folder;
  folder.write("t.json", kTraining);
  const Outcome table = folder.run("run t.json --report t.html --timeline t.trace.json");
  CHECK(table.exit_code == 0);
  CHECK(table.error.empty());
  CHECK_THAT(table.out, Contains("time of a step") && Contains("exposed_communication_ms_tp"));
  CHECK_THAT(slurp(folder.path() / "t.html"), Contains("<svg") && Contains("stage 1"));
  const auto trace = nlohmann::json::parse(slurp(folder.path() / "t.trace.json"));
  CHECK(trace["traceEvents"].size() > 30);  // 8 micro-batches forward and backward on 2 stages
}

TEST_CASE("training metrics are null where they do not apply") {
  const Folder folder;
  folder.write("t.json", kTraining);
  const auto metrics = nlohmann::json::parse(folder.run("run t.json --format json").out)["metrics"];
  for (const char* name :
       {"makespan_ms", "total_tokens_per_s_per_device", "mfu", "hfu", "mfu_full_attention",
        "bubble_fraction", "exposed_communication_ms_tp", "exposed_communication_ms_pp"}) {
    INFO(name);
    CHECK(metrics[name].is_number());
  }
  for (const char* name : {"ttft_ms", "tpot_ms", "output_tokens_per_s", "prefill_pass_ms",
                           "exposed_communication_ms_cp", "exposed_communication_ms_dp"}) {
    INFO(name);
    CHECK(metrics[name].is_null());
  }
}

TEST_CASE("explain and --compare take a training step") {
  const Folder folder;
  folder.write("t.json", kTraining);
  CHECK_THAT(folder.run("explain t.json").out, Contains("matrix rate") && Contains("step time"));
  const Outcome compared = folder.run("run t.json --compare vanilla,decompose");
  CHECK(compared.exit_code == 0);
  CHECK_THAT(compared.out, Contains("makespan_ms") && Contains("exposed reduction"));
}

TEST_CASE("what is wrong in a training scenario is named in one line") {
  const Folder folder;
  folder.write("t.json", kTraining);
  check_refused(folder.run("run t.json --set workload.schedule=1f1bb"), "did you mean \"1f1b\"?");
  check_refused(folder.run("run t.json --set workload.recompute=some"), "/workload/recompute");
  check_refused(folder.run("run t.json --set workload.global_batch=0"), "/workload/global_batch");
  check_refused(folder.run("run t.json --set plan.zero_stage=4"), "/plan/zero_stage");
  check_refused(folder.run("run t.json --set workload.microbatch=2"),
                "did you mean \"micro_batch\"?");
  check_refused(folder.run("run t.json --requests r.csv"), "\"serving\"");
}

TEST_CASE("a training plan that can't be is an answer with a reason, exit code 4") {
  const Folder folder;
  folder.write("t.json", kTraining);
  const auto reason = [&](const std::string& set) {
    const Outcome outcome = folder.run("run t.json --format json --set " + set);
    CHECK(outcome.exit_code == 4);
    return nlohmann::json::parse(outcome.out)["reason"].get<std::string>();
  };
  CHECK_THAT(reason("workload.global_batch=7 --set workload.micro_batch=2"),
             Contains("global_batch 7"));
  CHECK_THAT(reason("plan.virtual_stages=2"), Contains("virtual_stages can't be 2"));
  CHECK_THAT(reason("plan.virtual_stages=5 --set workload.schedule=interleaved-1f1b"),
             Contains("neither alone nor with embedding and head"));
  CHECK_THAT(reason("workload.sequence_length=131072 --set plan.tp=1"), Contains("out of memory"));
}
