#include <fmt/format.h>

#include <string>

#include "sim/scenario/memory.h"
#include "sim/scenario/scenario.h"

namespace tradewind::scenario {
namespace {

std::string gigabytes(double bytes) {
  return fmt::format("{:.1f} GB", bytes / 1e9);
}

std::string division_reason(const Scenario& scenario) {
  const model::ModelConfig& model = *scenario.model;
  const Plan& plan = scenario.plan;
  const std::int64_t tp = plan.tp;
  if (model.num_attention_heads % tp != 0) {
    return fmt::format("tp {} does not divide the {} attention heads of {}", tp,
                       model.num_attention_heads, model.name);
  }
  if (model.num_key_value_heads % tp != 0 && tp % model.num_key_value_heads != 0) {
    return fmt::format("tp {} neither divides nor is a multiple of the {} key/value heads of {}",
                       tp, model.num_key_value_heads, model.name);
  }
  if (model.intermediate_size % tp != 0) {
    return fmt::format("tp {} does not divide the intermediate_size {} of {}", tp,
                       model.intermediate_size, model.name);
  }
  if (plan.pp > model.num_hidden_layers) {
    return fmt::format("pp {} is more than the {} layers of {}", plan.pp, model.num_hidden_layers,
                       model.name);
  }
  return {};
}

std::string data_type_reason(const Scenario& scenario) {
  const hardware::Accelerator& accelerator = scenario.cluster->accelerator();
  const DataType type = scenario.precision.activations;
  if (accelerator.peak(type) > 0) return {};
  return fmt::format("{} has no {} matrix arithmetic", accelerator.name, to_string(type));
}

std::string length_reason(const Scenario& scenario) {
  const auto* batch = std::get_if<StaticBatch>(&scenario.workload);
  if (!batch) return {};
  const std::int64_t tokens = std::int64_t{batch->input_tokens} + batch->output_tokens;
  if (tokens <= scenario.model->max_position_embeddings) return {};
  return fmt::format("{} input and output tokens are more than the {} positions of {}", tokens,
                     scenario.model->max_position_embeddings, scenario.model->name);
}

}  // namespace

std::string structural_reason(const Scenario& scenario) {
  if (scenario.plan.devices() > scenario.cluster->devices()) {
    return fmt::format("the plan needs {} devices (tp {} x pp {} x dp {}), {} has {}",
                       scenario.plan.devices(), scenario.plan.tp, scenario.plan.pp,
                       scenario.plan.dp, scenario.cluster->name, scenario.cluster->devices());
  }
  if (std::holds_alternative<Block>(scenario.workload) && scenario.plan.pp > 1) {
    return fmt::format("one block has no pipeline: pp is {}", scenario.plan.pp);
  }
  if (std::string reason = division_reason(scenario); !reason.empty()) return reason;
  if (std::string reason = data_type_reason(scenario); !reason.empty()) return reason;
  return length_reason(scenario);
}

std::string memory_reason(const Scenario& scenario, const MemoryReport& memory) {
  const MemoryUse& stage = memory.fullest_stage();
  if (stage.fits()) return {};
  const std::string where = scenario.plan.pp > 1
                                ? fmt::format("stage {} of {}", memory.fullest, scenario.plan.pp)
                                : "each device";
  return fmt::format(
      "out of memory: {} needs {} (weights {}, KV cache {}, activations {}, reserved {}) of {}; "
      "largest batch that fits: {}",
      where, gigabytes(stage.used_bytes()), gigabytes(stage.weights_bytes),
      gigabytes(stage.kv_cache_bytes), gigabytes(stage.activations_bytes),
      gigabytes(stage.reserved_bytes), gigabytes(stage.capacity_bytes), memory.max_batch);
}

}  // namespace tradewind::scenario
