#include <fmt/format.h>

#include <cmath>
#include <string>

#include "sim/core/overload.h"
#include "sim/scenario/block_layer.h"
#include "sim/scenario/memory.h"
#include "sim/scenario/overlap_sites.h"
#include "sim/scenario/pass_tokens.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/step_bounds.h"
#include "sim/scenario/training_feasibility.h"

namespace tradewind::scenario {
namespace {

std::string gigabytes(double bytes) {
  return fmt::format("{:.1f} GB", bytes / 1e9);
}

/// Heads are shared out by tensor parallelism and, inside attention, by Ulysses.
std::string heads_reason(const model::ModelConfig& model, std::string_view degree,
                         std::int64_t ranks) {
  if (model.num_attention_heads % ranks != 0) {
    return fmt::format("{} {} does not divide the {} attention heads of {}", degree, ranks,
                       model.num_attention_heads, model.name);
  }
  if (model.num_key_value_heads % ranks != 0 && ranks % model.num_key_value_heads != 0) {
    return fmt::format("{} {} neither divides nor is a multiple of the {} key/value heads of {}",
                       degree, ranks, model.num_key_value_heads, model.name);
  }
  return {};
}

/// A Mamba layer's heads and groups are shared out by tensor parallelism; its recurrence runs over
/// all tokens of a sequence, which Ulysses shards (arXiv 2405.21060, section 8).
std::string mamba_reason(const model::ModelConfig& model, const Plan& plan) {
  const model::MambaDimensions& mamba = model.mamba;
  if (mamba.num_heads == 0) return {};
  if (plan.ulysses > 1) {
    return fmt::format("ulysses shards sequences, over which the Mamba layers of {} recur",
                       model.name);
  }
  if (mamba.num_heads % plan.tp != 0) {
    return fmt::format("tp {} does not divide the {} Mamba heads of {}", plan.tp, mamba.num_heads,
                       model.name);
  }
  if (mamba.n_groups % plan.tp != 0 && plan.tp % mamba.n_groups != 0) {
    return fmt::format("tp {} neither divides nor is a multiple of the {} Mamba groups of {}",
                       plan.tp, mamba.n_groups, model.name);
  }
  return {};
}

std::string block_reason(const Scenario& scenario) {
  const auto* block = std::get_if<Block>(&scenario.workload);
  if (!block) return {};
  if (scenario.plan.pp > 1) {
    return fmt::format("one block has no pipeline: pp is {}", scenario.plan.pp);
  }
  if (!layer_of_block(*scenario.model, block->part)) {
    return fmt::format("{} has no layer with the block that the workload asks for",
                       scenario.model->name);
  }
  if (block->part == BlockPart::mamba && block->pass == BlockPass::forward_backward) {
    return "a Mamba block has a forward pass only";
  }
  return {};
}

std::string division_reason(const Scenario& scenario) {
  const model::ModelConfig& model = *scenario.model;
  const Plan& plan = scenario.plan;
  const bool trains = std::holds_alternative<Training>(scenario.workload);
  if (plan.ulysses > 1 && plan.tp > 1 && !trains) {
    return fmt::format("ulysses shards whole layers: tp must be 1, not {}", plan.tp);
  }
  if (std::string reason = heads_reason(model, "tp", plan.tp); !reason.empty()) return reason;
  if (std::string reason = heads_reason(model, "ulysses", plan.ulysses); !reason.empty()) {
    return reason;
  }
  if (std::string reason = mamba_reason(model, plan); !reason.empty()) return reason;
  if (model.intermediate_size % plan.tp != 0) {
    return fmt::format("tp {} does not divide the intermediate_size {} of {}", plan.tp,
                       model.intermediate_size, model.name);
  }
  if (plan.pp > model.num_hidden_layers) {
    return fmt::format("pp {} is more than the {} layers of {}", plan.pp, model.num_hidden_layers,
                       model.name);
  }
  return {};
}

std::string devices_reason(const Scenario& scenario) {
  const Plan& plan = scenario.plan;
  if (plan.devices() <= scenario.cluster->devices()) return {};
  const std::string ulysses = plan.ulysses > 1 ? fmt::format("ulysses {} x ", plan.ulysses) : "";
  const std::string context = plan.cp > 1 ? fmt::format("cp {} x ", plan.cp) : "";
  return fmt::format("the plan needs {} devices (tp {} x {}{}pp {} x dp {}), {} has {}",
                     plan.devices(), plan.tp, context, ulysses, plan.pp, plan.dp,
                     scenario.cluster->name, scenario.cluster->devices());
}

std::string slices_reason(const Scenario& scenario) {
  const Plan& plan = scenario.plan;
  // A natural count fits its group, and a pass with fewer tokens runs whole (overlap_notes.h).
  const int slices = plan.overlap.slices;
  for (const PassTokens& pass : pass_tokens(scenario)) {
    if (slices == 0 || !slices_tokens(scenario, pass.kind)) continue;
    const std::string_view degree = plan.ulysses > 1 ? "ulysses" : "tp";
    if (plan.overlap.strategy == "flash" && slices % plan.group() != 0) {
      return fmt::format("flash takes as many slices from every rank: {} is no multiple of {} {}",
                         slices, degree, plan.group());
    }
    if (plan.overlap.strategy == "decompose" && slices != plan.group()) {
      return fmt::format("decompose takes one slice from every rank: {} is not {} {}", slices,
                         degree, plan.group());
    }
    // A decode step may be as small as one token: it then runs whole.
    if (slices > pass.tokens && pass.kind != PassKind::decode) {
      return fmt::format("{} slices are more than the {} tokens of a {}", slices, pass.tokens,
                         pass.name());
    }
  }
  return {};
}

std::string data_type_reason(const Scenario& scenario) {
  const hardware::Accelerator& accelerator = scenario.cluster->accelerator();
  const DataType type = scenario.precision.activations;
  if (accelerator.peak(type) > 0) return {};
  return fmt::format("{} has no {} matrix arithmetic", accelerator.name, to_string(type));
}

/// Input and output of a sequence: of serving the expected ones, since an engine refuses the longer
/// requests one by one; 0 where nothing bounds them, as in a file, some of whose requests may fit.
std::int64_t sequence_tokens(const Scenario& scenario) {
  return std::visit(
      Overload{[](const StaticBatch& batch) {
                 return std::int64_t{batch.input_tokens} + batch.output_tokens;
               },
               [](const Block&) { return std::int64_t{0}; },
               [](const Training&) { return std::int64_t{0}; },
               [](const Serving& serving) {
                 if (serving.requests.file) return std::int64_t{0};
                 return static_cast<std::int64_t>(std::ceil(mean_tokens(serving.requests).total()));
               }},
      scenario.workload);
}

std::string length_reason(const Scenario& scenario) {
  const std::int64_t tokens = sequence_tokens(scenario);
  if (tokens <= scenario.model->max_position_embeddings) return {};
  return fmt::format("{} input and output tokens are more than the {} positions of {}", tokens,
                     scenario.model->max_position_embeddings, scenario.model->name);
}

/// A cache that can't hold one request as they are expected serves none of them.
std::string cache_reason(const Scenario& scenario, const MemoryReport& memory) {
  const auto* serving = std::get_if<Serving>(&scenario.workload);
  if (!serving || !layer_of_block(*scenario.model, BlockPart::attention)) return {};
  const std::int64_t tokens = sequence_tokens(scenario);
  if (memory.kv_cache_capacity_tokens >= tokens) return {};
  return fmt::format("the KV cache holds {} tokens, fewer than the {} of one request",
                     memory.kv_cache_capacity_tokens, tokens);
}

}  // namespace

std::string structural_reason(const Scenario& scenario) {
  if (std::string reason = devices_reason(scenario); !reason.empty()) return reason;
  if (std::string reason = block_reason(scenario); !reason.empty()) return reason;
  if (std::string reason = training_reason(scenario); !reason.empty()) return reason;
  if (std::string reason = division_reason(scenario); !reason.empty()) return reason;
  if (std::string reason = slices_reason(scenario); !reason.empty()) return reason;
  if (std::string reason = data_type_reason(scenario); !reason.empty()) return reason;
  return length_reason(scenario);
}

std::string memory_reason(const Scenario& scenario, const MemoryReport& memory) {
  const MemoryUse& stage = memory.fullest_stage();
  if (stage.fits()) return cache_reason(scenario, memory);
  const std::string where = scenario.plan.pp > 1
                                ? fmt::format("stage {} of {}", memory.fullest, scenario.plan.pp)
                                : "each device";
  return fmt::format(
      "out of memory: {} needs {} (weights {}, KV cache {}, activations {}, reserved {}) of {}; {}",
      where, gigabytes(stage.used_bytes()), gigabytes(stage.weights_bytes),
      gigabytes(stage.kv_cache_bytes), gigabytes(stage.activations_bytes),
      gigabytes(stage.reserved_bytes), gigabytes(stage.capacity_bytes),
      std::holds_alternative<Serving>(scenario.workload)
          ? std::string("nothing is left for the KV cache")
          : fmt::format("largest batch that fits: {}", memory.max_batch));
}

}  // namespace tradewind::scenario
