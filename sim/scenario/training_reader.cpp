#include "sim/scenario/training_reader.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/core/error.h"

namespace tradewind::scenario {
namespace {

constexpr int kMostTokens = 100'000'000;
constexpr int kMostDegree = 1'000'000;
constexpr std::array<std::string_view, 2> kPlacements = {"tp-cp-dp-pp", "tp-cp-pp-dp"};

std::string read_schedule(const json::Node& node) {
  std::string name = node.string();
  std::replace(name.begin(), name.end(), '_', '-');
  const std::vector<std::string> names(kScheduleNames.begin(), kScheduleNames.end());
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    node.fail(unknown_name("schedule", name, names));
  }
  return name;
}

Recompute read_recompute(const json::Node& node) {
  const std::vector<std::string> names(kRecomputeNames.begin(), kRecomputeNames.end());
  const std::string name = node.name("recompute", names);
  return static_cast<Recompute>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

Training read_training(json::ObjectReader& reader) {
  const auto required = [&](std::string_view key) {
    return static_cast<int>(reader.required(key).integer(1, kMostTokens));
  };
  Training training;
  training.sequence_length = required("sequence_length");
  training.micro_batch = required("micro_batch");
  training.global_batch = required("global_batch");
  if (const auto schedule = reader.optional("schedule")) {
    training.schedule = read_schedule(*schedule);
  }
  if (const auto recompute = reader.optional("recompute")) {
    training.recompute = read_recompute(*recompute);
  }
  return training;
}

nlohmann::ordered_json to_json(const Training& training) {
  return {{"kind", "training"},
          {"sequence_length", training.sequence_length},
          {"micro_batch", training.micro_batch},
          {"global_batch", training.global_batch},
          {"schedule", training.schedule},
          {"recompute", kRecomputeNames[static_cast<std::size_t>(training.recompute)]}};
}

void read_training_degrees(json::ObjectReader& reader, Plan& plan) {
  plan.cp = static_cast<int>(reader.integer("cp", plan.cp, 1, kMostDegree));
  plan.virtual_stages =
      static_cast<int>(reader.integer("virtual_stages", plan.virtual_stages, 1, kMostDegree));
  plan.zero_stage = static_cast<int>(reader.integer("zero_stage", plan.zero_stage, 0, 3));
  plan.dp_replicate =
      static_cast<int>(reader.integer("dp_replicate", plan.dp_replicate, 1, kMostDegree));
  static const std::vector<std::string> orders(kPlacements.begin(), kPlacements.end());
  if (const auto placement = reader.optional("placement")) {
    plan.stages_inside_replicas = placement->name("placement", orders) == orders[1];
  }
}

void refuse_training_degrees(const json::Node& plan) {
  json::ObjectReader reader(plan);
  for (const char* degree : {"cp", "virtual_stages", "dp_replicate"})
    reader.integer(degree, 1, 1, 1);
  reader.integer("zero_stage", 0, 0, 0);
  if (const auto placement = reader.optional("placement")) {
    placement->fail("only training has a choice of placement");
  }
}

void add_training_degrees(nlohmann::ordered_json& json, const Plan& plan) {
  json["cp"] = plan.cp;
  json["virtual_stages"] = plan.virtual_stages;
  json["zero_stage"] = plan.zero_stage;
  json["dp_replicate"] = plan.dp_replicate;
  json["placement"] = kPlacements[plan.stages_inside_replicas ? 1 : 0];
}

}  // namespace tradewind::scenario
