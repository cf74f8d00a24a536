#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/study/search.h"
#include "sim/study/sweep.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Json = nlohmann::json;

namespace {

const std::string kRoot = TRADEWIND_SOURCE_DIR;

/// A JSON Schema of configs/schema, as editors apply it.
class Schema {
 public:
  explicit Schema(const std::string& name)
      : document_(Json::parse(read_file(kRoot + "/configs/schema/" + name + ".schema.json"))) {
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(document_), schema_);
  }
  bool accepts(const Json& value) const {
    valijson::Validator validator;
    return validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(value), nullptr);
  }

 private:
  Json document_;
  valijson::Schema schema_;
};

bool reads_as_scenario(const Json& value) {
  try {
    scenario::read_scenario(json::Node(value, "test", ""), testing::catalogue());
    return true;
  } catch (const InputError&) {
    return false;
  }
}

bool reads_as_sweep(const Json& value) {
  try {
    study::read_sweep(value.dump(), "test");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

const Json kScenario = {
    {"name", "x"},
    {"model", "llama-3.1-8b"},
    {"cluster", "h100-8"},
    {"precision", {{"weights", "fp8"}, {"kv_cache", "fp8"}}},
    {"runtime", "vllm"},
    {"plan",
     {{"tp", 2},
      {"pp", 2},
      {"dp", 1},
      {"sequence_parallel", false},
      {"ulysses", 1},
      {"zero_stage", 0},
      {"nano_batches", 2},
      {"overlap", {{"strategy", "vanilla"}}},
      {"kv_accounting", "resident"},
      {"memory_check", "enforce"}}},
    {"workload",
     {{"kind", "static_batch"}, {"batch", 1}, {"input_tokens", 2}, {"output_tokens", 3}}},
    {"price_usd_per_device_hour", 2.5},
    {"seed", 1}};

/// The members that kScenario can't have: an overlap that takes pairs apart, and a block.
Json block_taken_apart() {
  Json scenario = kScenario;
  scenario["plan"]["sequence_parallel"] = true;
  scenario["plan"]["ulysses"] = 2;
  scenario["plan"]["overlap"] = {{"strategy", "flash"},
                                 {"slices", 8},
                                 {"on", {"row_parallel", "all_to_all"}},
                                 {"transport", "copy_engines"},
                                 {"order", "pairwise"}};
  scenario["workload"] = {{"kind", "block"},
                          {"block", "transformer"},
                          {"batch", 1},
                          {"sequence_length", 2},
                          {"pass", "forward_backward"}};
  return scenario;
}

/// Serving with everything that can be said: drawn lengths that share prefixes.
Json served() {
  Json scenario = kScenario;
  scenario["workload"] = {
      {"kind", "serving"},
      {"requests",
       {{"count", 9},
        {"input_tokens",
         {{"distribution", "lognormal"}, {"mean", 80}, {"stddev", 8}, {"min", 1}, {"max", 99}}},
        {"output_tokens", {{"distribution", "uniform"}, {"min", 1}, {"max", 4}}},
        {"prefix_groups", 2},
        {"prefix_tokens", 16}}},
      {"arrival", {{"kind", "gamma"}, {"requests_per_s", 2}, {"burstiness", 0.5}}},
      {"scheduler",
       {{"name", "tensorrt-llm"},
        {"max_num_seqs", 8},
        {"max_num_batched_tokens", 512},
        {"enable_chunked_prefill", false},
        {"gpu_memory_utilization", 0.5},
        {"block_size", 32},
        {"enable_prefix_caching", true},
        {"capacity_scheduler_policy", "max_utilization"}}},
      {"slo", {{"ttft_ms", 5}, {"tpot_ms", 5}, {"e2e_latency_ms", 5}}},
      {"router", "kv_aware"}};
  return scenario;
}

/// A training step with every degree that only training has.
Json trained() {
  Json scenario = kScenario;
  scenario["runtime"] = "megatron";
  scenario["plan"]["cp"] = 2;
  scenario["plan"]["virtual_stages"] = 4;
  scenario["plan"]["zero_stage"] = 1;
  scenario["workload"] = {
      {"kind", "training"}, {"sequence_length", 4096},        {"micro_batch", 1},
      {"global_batch", 8},  {"schedule", "interleaved-1f1b"}, {"recompute", "selective"}};
  return scenario;
}

/// A GPT-2 style model in place, and a schedule as Megatron's users write it.
Json trained_inline() {
  Json scenario = trained();
  scenario["model"] = {{"model_type", "gpt2"},
                       {"hidden_size", 2048},
                       {"num_hidden_layers", 24},
                       {"num_attention_heads", 16},
                       {"intermediate_size", 8192},
                       {"vocab_size", 51200},
                       {"max_position_embeddings", 2048},
                       {"tie_word_embeddings", true}};
  scenario["workload"]["schedule"] = "zb_h1";
  scenario["workload"].erase("recompute");
  return scenario;
}

/// And what those two can't have: a data set, a closed loop, a scheduler by its name.
Json served_by_name() {
  Json scenario = kScenario;
  scenario["workload"] = {{"kind", "serving"},
                          {"requests", {{"dataset", "longalpaca"}, {"count", 4}}},
                          {"arrival", {{"kind", "closed_loop"}, {"concurrency", 4}}},
                          {"scheduler", "vllm"}};
  return scenario;
}

const Json kSweep = {{"name", "x"},
                     {"base", kScenario},
                     {"axes", {{"plan.tp", {1, 2}}}},
                     {"devices", 8},
                     {"fill", "plan.dp"}};

const std::vector<Json> kValues = {nullptr,
                                   true,
                                   0,
                                   1,
                                   -1,
                                   1.5,
                                   1e300,
                                   "",
                                   "nope",
                                   "fp8",
                                   "vanilla",
                                   "flash-overlap",
                                   "all_to_all",
                                   Json::array(),
                                   Json::object(),
                                   Json::array({1}),
                                   2000000000};

/// Every value of `document` replaced, removed, and joined by an unknown neighbour.
void mutate(const Json& document,
            const std::function<void(const Json&, const std::string&)>& check) {
  const Json places = document.flatten();
  for (const auto& [pointer, value] : places.items()) {
    for (std::string at = pointer; !at.empty(); at = at.substr(0, at.rfind('/'))) {
      const Json::json_pointer place(at);
      for (const Json& replacement : kValues) {
        Json changed = document;
        changed[place] = replacement;
        check(changed, at + " = " + replacement.dump());
      }
      Json changed = document;
      Json& parent = changed[place.parent_pointer()];
      if (!parent.is_object()) continue;
      parent.erase(place.back());
      check(changed, at + " removed");
      parent["unknown_neighbour"] = 1;
      check(changed, at + " replaced by unknown_neighbour");
    }
  }
}

}  // namespace

TEST_CASE("the scenario schema accepts what the reader accepts, member by member") {
  const Schema schema("scenario");
  for (const Json& scenario :
       {kScenario, block_taken_apart(), served(), served_by_name(), trained(), trained_inline()}) {
    REQUIRE(schema.accepts(scenario));
    REQUIRE(reads_as_scenario(scenario));
    mutate(scenario, [&](const Json& changed, const std::string& what) {
      // What a model, cluster, runtime or data set may be is the catalogue's to say.
      if (what.starts_with("/model") || what.starts_with("/cluster") ||
          what.starts_with("/runtime") || what.starts_with("/workload/requests/dataset")) {
        return;
      }
      INFO(what);
      CHECK(schema.accepts(changed) == reads_as_scenario(changed));
    });
  }
}

TEST_CASE("the sweep schema accepts what the reader accepts, member by member") {
  const Schema schema("sweep");
  REQUIRE(schema.accepts(kSweep));
  REQUIRE(reads_as_sweep(kSweep));
  mutate(kSweep, [&](const Json& changed, const std::string& what) {
    // A base is read as a scenario when the points are; a text names a file.
    if (what.starts_with("/base")) return;
    // The schema can't say that fill needs devices.
    if (!changed.contains("devices") || changed["devices"].is_null()) return;
    INFO(what);
    CHECK(schema.accepts(changed) == reads_as_sweep(changed));
  });
}

TEST_CASE("every shipped search is valid by schema and reader") {
  const Schema schema("search");
  for (const auto& entry : std::filesystem::directory_iterator(kRoot + "/configs/searches")) {
    const std::string text = read_file(entry.path());
    INFO(entry.path());
    CHECK(schema.accepts(Json::parse(text)));
    const study::Search search = study::read_search(text, entry.path());
    CHECK(reads_as_scenario(Json::parse(search.plans.base)));
  }
}

TEST_CASE("every shipped scenario and sweep is valid by schema and reader") {
  for (const std::string folder : {"scenarios", "sweeps"}) {
    const Schema schema(folder == "scenarios" ? "scenario" : "sweep");
    for (const auto& entry : std::filesystem::directory_iterator(kRoot + "/configs/" + folder)) {
      const Json document = Json::parse(read_file(entry.path()));
      INFO(entry.path());
      CHECK(schema.accepts(document));
      CHECK((folder == "scenarios" ? reads_as_scenario(document) : reads_as_sweep(document)));
    }
  }
}
