#include "sim/scenario/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/overload.h"
#include "sim/scenario/overlap_reader.h"
#include "sim/scenario/runtime_reader.h"
#include "sim/scenario/serving_reader.h"
#include "sim/scenario/training_reader.h"

namespace tradewind::scenario {
namespace {

constexpr int kMostDevices = 1'000'000;
constexpr int kMostTokens = 100'000'000;

const std::vector<std::string> kWorkloadKinds = {"static_batch", "block", "serving", "training"};
const std::vector<std::string> kBlockParts = {"mlp", "attention", "transformer", "mamba"};
const std::vector<std::string> kPasses = {"forward", "forward_backward"};
const std::vector<std::string> kKvAccountings = {"resident", "paper"};
const std::vector<std::string> kMemoryChecks = {"enforce", "report"};

int integer(json::ObjectReader& reader, std::string_view key, int fallback, int low, int high) {
  return static_cast<int>(reader.integer(key, fallback, low, high));
}

int required_integer(json::ObjectReader& reader, std::string_view key, int low, int high) {
  return static_cast<int>(reader.required(key).integer(low, high));
}

std::size_t index_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

PoolPlan read_pool(const json::Node& node) {
  json::ObjectReader reader(node);
  PoolPlan pool;
  pool.tp = integer(reader, "tp", pool.tp, 1, kMostDevices);
  pool.pp = integer(reader, "pp", pool.pp, 1, kMostDevices);
  pool.dp = integer(reader, "dp", pool.dp, 1, kMostDevices);
  reader.finish();
  if (1.0 * pool.tp * pool.pp * pool.dp > kMostDevices) {
    node.fail(fmt::format("asks for more than {} devices", kMostDevices));
  }
  return pool;
}

/// Both pools or none; each says its own degrees then.
void read_pools(const json::Node& node, json::ObjectReader& reader, Plan& plan) {
  const auto prefill = reader.optional("prefill"), decode = reader.optional("decode");
  if (!prefill && !decode) return;
  if (!prefill || !decode) node.fail("`prefill` and `decode` are two pools: give both");
  if (plan.group() * plan.pp * plan.dp > 1) {
    node.fail("with the pools `prefill` and `decode` tp, pp, dp and ulysses are theirs");
  }
  plan.pools = Disaggregated{read_pool(*prefill), read_pool(*decode)};
}

nlohmann::ordered_json pool_json(const PoolPlan& pool) {
  return {{"tp", pool.tp}, {"pp", pool.pp}, {"dp", pool.dp}};
}

Plan read_plan(const json::Node& node) {
  json::ObjectReader reader(node);
  Plan plan;
  plan.tp = integer(reader, "tp", plan.tp, 1, kMostDevices);
  plan.pp = integer(reader, "pp", plan.pp, 1, kMostDevices);
  plan.dp = integer(reader, "dp", plan.dp, 1, kMostDevices);
  plan.nano_batches = integer(reader, "nano_batches", plan.nano_batches, 1, kMostDevices);
  plan.sequence_parallel = reader.boolean("sequence_parallel", plan.sequence_parallel);
  plan.ulysses = integer(reader, "ulysses", plan.ulysses, 1, kMostDevices);
  if (const auto overlap = reader.optional("overlap")) plan.overlap = read_overlap(*overlap);
  if (const auto kv = reader.optional("kv_accounting")) {
    plan.kv_accounting = static_cast<KvAccounting>(
        index_of(kKvAccountings, kv->name("kv_accounting", kKvAccountings)));
  }
  if (const auto check = reader.optional("memory_check")) {
    plan.memory_check = static_cast<MemoryCheck>(
        index_of(kMemoryChecks, check->name("memory_check", kMemoryChecks)));
  }
  read_training_degrees(reader, plan);
  // No layout uses it yet: an answer that ignored it would be wrong.
  reader.integer("ep", 1, 1, 1);
  read_pools(node, reader, plan);
  reader.finish();
  if (1.0 * plan.tp * plan.cp * plan.ulysses * plan.pp * plan.dp > kMostDevices) {
    node.fail(fmt::format("asks for more than {} devices", kMostDevices));
  }
  return plan;
}

Workload read_workload(const json::Node& node, Catalogue& catalogue) {
  json::ObjectReader reader(node);
  const std::string kind = reader.required("kind").name("workload kind", kWorkloadKinds);
  if (kind == "static_batch") {
    StaticBatch batch;
    batch.batch = required_integer(reader, "batch", 1, kMostTokens);
    batch.input_tokens = required_integer(reader, "input_tokens", 1, kMostTokens);
    batch.output_tokens = required_integer(reader, "output_tokens", 1, kMostTokens);
    reader.finish();
    return batch;
  }
  if (kind == "serving") {
    Serving serving = read_serving(reader, catalogue);
    reader.finish();
    return serving;
  }
  if (kind == "training") {
    const Training training = read_training(reader);
    reader.finish();
    return training;
  }
  Block block;
  block.part = static_cast<BlockPart>(
      index_of(kBlockParts, reader.required("block").name("block", kBlockParts)));
  block.batch = required_integer(reader, "batch", 1, kMostTokens);
  block.sequence_length = required_integer(reader, "sequence_length", 1, kMostTokens);
  if (const auto pass = reader.optional("pass")) {
    block.pass = static_cast<BlockPass>(index_of(kPasses, pass->name("pass", kPasses)));
  }
  reader.finish();
  return block;
}

nlohmann::ordered_json plan_json(const Plan& plan) {
  nlohmann::ordered_json json = {
      {"tp", plan.tp},
      {"pp", plan.pp},
      {"dp", plan.dp},
      {"sequence_parallel", plan.sequence_parallel},
      {"ulysses", plan.ulysses},
      {"nano_batches", plan.nano_batch_count()},
      {"overlap", to_json(plan.overlap)},
      {"kv_accounting", kKvAccountings[static_cast<std::size_t>(plan.kv_accounting)]},
      {"memory_check", kMemoryChecks[static_cast<std::size_t>(plan.memory_check)]}};
  if (plan.pools) {
    json["prefill"] = pool_json(plan.pools->prefill);
    json["decode"] = pool_json(plan.pools->decode);
  }
  return json;
}

nlohmann::ordered_json workload_json(const Workload& workload) {
  using Json = nlohmann::ordered_json;
  return std::visit(Overload{[](const StaticBatch& batch) {
                               return Json{{"kind", "static_batch"},
                                           {"batch", batch.batch},
                                           {"input_tokens", batch.input_tokens},
                                           {"output_tokens", batch.output_tokens}};
                             },
                             [](const Block& block) {
                               return Json{
                                   {"kind", "block"},
                                   {"block", kBlockParts[static_cast<std::size_t>(block.part)]},
                                   {"batch", block.batch},
                                   {"sequence_length", block.sequence_length},
                                   {"pass", kPasses[static_cast<std::size_t>(block.pass)]}};
                             },
                             [](const Serving& serving) { return to_json(serving); },
                             [](const Training& training) { return to_json(training); }},
                    workload);
}

}  // namespace

Scenario read_scenario(const json::Node& node, Catalogue& catalogue) {
  json::ObjectReader reader(node);
  Scenario scenario;
  for (const char* known : {"$schema", "description"}) reader.ignore(known);
  scenario.name = reader.string("name", "");
  const json::Node model = reader.required("model");
  const json::Node cluster = reader.required("cluster");
  scenario.model = catalogue.model(model);
  scenario.cluster = catalogue.cluster(cluster);
  scenario.model_json = model.value().dump();
  scenario.cluster_json = cluster.value().dump();
  scenario.runtime_json = "\"vllm\"";
  if (const auto precision = reader.optional("precision")) {
    scenario.precision = model::read_precision(*precision);
  }
  if (const auto runtime = reader.optional("runtime")) {
    scenario.runtime = catalogue.runtime(*runtime);
    scenario.runtime_json = runtime->value().dump();
  } else {
    static const nlohmann::json kDefault = "vllm";
    scenario.runtime = catalogue.runtime(json::Node(kDefault, node.file(), "/runtime"));
  }
  scenario.runtime = runtime_on(std::move(scenario.runtime), scenario.cluster->accelerator());
  if (const auto plan = reader.optional("plan")) scenario.plan = read_plan(*plan);
  scenario.workload = read_workload(reader.required("workload"), catalogue);
  const bool trains = std::holds_alternative<Training>(scenario.workload);
  if (trains && !scenario.runtime->training.dropout) {
    model::ModelConfig undropped = *scenario.model;
    undropped.dropout = false;
    scenario.model = std::make_shared<const model::ModelConfig>(std::move(undropped));
  }
  if (const auto plan = reader.optional("plan"); plan && !trains) refuse_training_degrees(*plan);
  scenario.price_usd_per_device_hour =
      reader.number("price_usd_per_device_hour", 0, json::Range{0, 1e6});
  scenario.seed = static_cast<std::uint64_t>(
      reader.integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max() - 1));
  reader.finish();
  return scenario;
}

nlohmann::ordered_json to_json(const Scenario& scenario) {
  nlohmann::ordered_json json;
  json["name"] = scenario.name;
  json["model"] = nlohmann::ordered_json::parse(scenario.model_json);
  json["cluster"] = nlohmann::ordered_json::parse(scenario.cluster_json);
  json["precision"] = model::to_json(scenario.precision);
  json["runtime"] = nlohmann::ordered_json::parse(scenario.runtime_json);
  json["plan"] = plan_json(scenario.plan);
  if (std::holds_alternative<Training>(scenario.workload)) {
    json["plan"].erase("nano_batches");
    add_training_degrees(json["plan"], scenario.plan);
  }
  json["workload"] = workload_json(scenario.workload);
  if (scenario.price_usd_per_device_hour > 0) {
    json["price_usd_per_device_hour"] = scenario.price_usd_per_device_hour;
  }
  json["seed"] = scenario.seed;
  return json;
}

}  // namespace tradewind::scenario
