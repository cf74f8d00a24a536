#include "sim/scenario/memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/overload.h"
#include "sim/model/cache_bytes.h"
#include "sim/model/count.h"
#include "sim/model/weight_bytes.h"
#include "sim/scenario/block_layer.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/step_bounds.h"

namespace tradewind::scenario {
namespace {

struct Lengths {
  double batch;         ///< sequences of one replica as the workload counts them
  double input_tokens;  ///< of a sequence
  double total_tokens;  ///< of a sequence at its end
  double pass_tokens;   ///< most tokens of one pass; infinity: those of a nano-batch
};

constexpr double kWholeBatch = std::numeric_limits<double>::infinity();

Lengths lengths_of(const Scenario& scenario) {
  const int budget = scenario.runtime->max_num_batched_tokens;
  const double pass_tokens = budget > 0 ? static_cast<double>(budget) : kWholeBatch;
  return std::visit(
      Overload{
          [&](const StaticBatch& batch) {
            const double input = batch.input_tokens;
            return Lengths{1.0 * batch.batch, input, input + batch.output_tokens, pass_tokens};
          },
          [&](const Block& block) {
            return Lengths{1.0 * block.batch, 1.0 * block.sequence_length, 0, pass_tokens};
          },
          // Held by a schedule, which comes later: workload/training_memory.h.
          [&](const Training& training) {
            return Lengths{1.0 * training.micro_batch, 1.0 * training.sequence_length, 0,
                           pass_tokens};
          },
          [&](const Serving& serving) {
            const MeanTokens mean = mean_tokens(serving.requests);
            const double step = step_bounds(scenario, serving).max_num_batched_tokens;
            return Lengths{1.0 * most_sequences(scenario, serving), mean.input, mean.total(), step};
          }},
      scenario.workload);
}

/// An engine that serves fills what is left of a device with blocks of KV cache at its start.
const Serving* serving_of(const Scenario& scenario) {
  return std::get_if<Serving>(&scenario.workload);
}

double stage_weights(const Scenario& scenario, int stage, model::LayerRange layers, int stages) {
  const model::ModelConfig& model = *scenario.model;
  const auto accounting = scenario.runtime->weights_all_at_gemm_dtype
                              ? model::WeightAccounting::uniform
                              : model::WeightAccounting::checkpoint;
  const double tp = scenario.plan.tp;
  double bytes =
      model::layers_weight_bytes(model, layers, scenario.precision, accounting, scenario.plan.tp);
  if (std::holds_alternative<Block>(scenario.workload)) return bytes;
  const double embedding = model::embedding_bytes(model, scenario.precision, accounting) / tp;
  if (stage == 0) bytes += embedding;
  if (stage == stages - 1) {
    const double head = model::head_bytes(model, scenario.precision, accounting) / tp;
    bytes += model::final_norm_bytes(model, scenario.precision, accounting);
    // A tied head on a stage of its own needs a copy of the embedding.
    bytes += head > 0 || stages == 1 ? head : embedding;
  }
  return bytes;
}

/// The largest tensors that live at once during a pass: residual stream and normalised input, and
/// the widest intermediate (QKV with attention output, gate/up with its product, Mamba's projection
/// with the outputs of convolution and scan), in 16 bits; on the last stage the logits of the
/// sampled rows in fp32. Sequence parallelism shares out the tokens of the first two and gathers
/// the input of column-parallel products beside their output (arXiv 2205.05198, section 4.2);
/// Ulysses shares out all tokens, inside attention the heads of all tokens instead (arXiv
/// 2309.14509, section 3).
double stage_activations(const Scenario& scenario, double pass_tokens, double sequences,
                         bool last) {
  constexpr double kActivationBytes = 2, kLogitBytes = 4;
  const model::ModelConfig& model = *scenario.model;
  const Plan& plan = scenario.plan;
  const double tp = plan.tp, ulysses = plan.ulysses, group = plan.group();
  const double shards = plan.sequence_parallel ? group : ulysses;
  const double shard_tokens = std::ceil(pass_tokens / shards);
  const double tokens = shard_tokens * shards;
  const double hidden = static_cast<double>(model.hidden_size);
  const double heads = static_cast<double>(model.num_attention_heads);
  const double kv_heads = std::max(group, static_cast<double>(model.num_key_value_heads));
  const double head_dim = static_cast<double>(model.head_dim);
  const double intermediate = static_cast<double>(model.intermediate_size) / group;
  const double attention = (2 * heads + 2 * kv_heads) * head_dim / group;
  const bool gathers = plan.sequence_parallel && plan.tp > 1;
  const double mlp = std::max(3 * intermediate, gathers ? hidden + 2 * intermediate : 0);
  const double widest = std::max({attention, mlp, model::mamba_width(model, plan.tp)});
  double bytes = (shard_tokens * 2 * hidden + tokens * widest) * kActivationBytes;
  if (last) {
    const double sampled = std::ceil(sequences / ulysses);
    bytes += sampled * static_cast<double>(model.vocab_size) * kLogitBytes / tp;
  }
  return bytes;
}

/// Everything about a stage but the batch.
struct Stage {
  bool last;
  double weights_bytes;
  double kv_bytes_of_sequence;  ///< at its end
  double kv_bytes_of_token;
  double state_bytes_of_sequence;  ///< of Mamba layers, however long
};

double activations(const Scenario& scenario, const Lengths& lengths, double batch, bool last) {
  const Plan& plan = scenario.plan;
  if (!scenario.runtime->counts_activations) return 0;
  if (serving_of(scenario)) {  // as the engine measures them before it takes its cache
    const double tokens = lengths.pass_tokens;
    return stage_activations(scenario, tokens, std::min(batch, tokens), last);
  }
  const double nano = plan.kv_accounting == KvAccounting::paper
                          ? batch
                          : std::ceil(batch / plan.nano_batch_count());
  const double tokens = std::min(nano * lengths.input_tokens, lengths.pass_tokens);
  const double sampled = std::min(nano, std::max(tokens / lengths.input_tokens, 1.0));
  const bool block = std::holds_alternative<Block>(scenario.workload);
  return stage_activations(scenario, tokens, block ? 0 : sampled, last);
}

/// Both accountings hold the KV of `batch` sequences on every stage: `resident` because all of a
/// replica's sequences are in flight, `paper` because its `batch` is one nano-batch. Of serving the
/// states only: its cache takes what is left.
MemoryUse stage_memory(const Scenario& scenario, const Lengths& lengths, double batch,
                       const Stage& stage) {
  const Runtime& runtime = *scenario.runtime;
  MemoryUse use;
  use.capacity_bytes = scenario.cluster->accelerator().hbm_capacity_bytes;
  use.weights_bytes = stage.weights_bytes;
  const Serving* serving = serving_of(scenario);
  const double kv_bytes = serving ? 0 : stage.kv_bytes_of_sequence;
  use.kv_cache_bytes = batch * (kv_bytes + stage.state_bytes_of_sequence);
  use.activations_bytes = activations(scenario, lengths, batch, stage.last);
  const double utilization = serving ? step_bounds(scenario, *serving).gpu_memory_utilization
                                     : runtime.gpu_memory_utilization;
  use.reserved_bytes = (1 - utilization) * use.capacity_bytes + runtime.reserved_bytes;
  const double left =
      use.capacity_bytes - use.weights_bytes - use.activations_bytes - use.reserved_bytes;
  use.reserved_bytes += (1 - runtime.kv_cache_free_share) * std::max(0.0, left);
  return use;
}

std::vector<Stage> stages_of(const Scenario& scenario, const Lengths& lengths) {
  const model::ModelConfig& model = *scenario.model;
  const auto* block = std::get_if<Block>(&scenario.workload);
  const std::vector<int> layers =
      block ? std::vector<int>{1}
            : stage_layers(static_cast<int>(model.num_hidden_layers), scenario.plan.pp);
  const int count = static_cast<int>(layers.size());
  const std::int64_t group = scenario.plan.group();
  const auto kv_bytes = [&](model::LayerRange held, double tokens) {
    return model::kv_bytes(model, held, scenario.precision.kv_cache, tokens, group);
  };
  // Whole blocks, with room for the token after the last.
  const double block_tokens = scenario.runtime->kv_block_tokens;
  const double sequence_tokens =
      block_tokens > 1 ? (std::floor(lengths.total_tokens / block_tokens) + 1) * block_tokens
                       : lengths.total_tokens;
  std::vector<Stage> stages;
  model::LayerRange held{block ? layer_of_block(model, block->part).value_or(0) : 0, 0};
  for (int s = 0; s < count; ++s) {
    held = {held.first + held.count, layers[static_cast<std::size_t>(s)]};
    stages.push_back({s == count - 1, stage_weights(scenario, s, held, count),
                      kv_bytes(held, sequence_tokens), kv_bytes(held, 1),
                      model::state_bytes(model, held, group)});
  }
  return stages;
}

/// The largest batch that fits on every stage: by bisection, since memory grows with the batch.
std::int64_t largest_batch(const Scenario& scenario, const Lengths& lengths,
                           const std::vector<Stage>& stages) {
  const auto fits = [&](std::int64_t batch) {
    return std::all_of(stages.begin(), stages.end(), [&](const Stage& stage) {
      return stage_memory(scenario, lengths, static_cast<double>(batch), stage).fits();
    });
  };
  constexpr std::int64_t kBeyondAll = std::int64_t{1} << 40;
  std::int64_t low = 0, high = 1;
  while (high < kBeyondAll && fits(high)) low = high, high *= 2;
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

/// Tokens of KV cache that a stage has room for beside all else.
double room_tokens_of(const MemoryUse& use, const Stage& stage, double sequences) {
  if (stage.kv_bytes_of_token == 0) return std::numeric_limits<double>::infinity();
  const double states = sequences * stage.state_bytes_of_sequence;
  const double room = use.capacity_bytes - use.used_bytes() + use.kv_cache_bytes - states;
  return std::max(0.0, room / stage.kv_bytes_of_token);
}

int fullest_of(const std::vector<MemoryUse>& stages) {
  const auto less_room = [](const MemoryUse& a, const MemoryUse& b) {
    return a.capacity_bytes - a.used_bytes() < b.capacity_bytes - b.used_bytes();
  };
  return static_cast<int>(std::min_element(stages.begin(), stages.end(), less_room) -
                          stages.begin());
}

}  // namespace

MemoryReport memory_of(const Scenario& scenario) {
  const Lengths lengths = lengths_of(scenario);
  const std::vector<Stage> stages = stages_of(scenario, lengths);
  MemoryReport report;
  double room_tokens = std::numeric_limits<double>::infinity();
  for (const Stage& stage : stages) {
    const MemoryUse use = stage_memory(scenario, lengths, lengths.batch, stage);
    report.stages.push_back(use);
    room_tokens = std::min(room_tokens, room_tokens_of(use, stage, lengths.batch));
  }
  // Without any attention there is no cache to fill.
  if (std::isfinite(room_tokens)) {
    report.kv_cache_capacity_tokens = static_cast<std::int64_t>(room_tokens);
  }
  if (const Serving* serving = serving_of(scenario)) {
    const int block = step_bounds(scenario, *serving).block_size;
    report.kv_cache_capacity_tokens -= report.kv_cache_capacity_tokens % block;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      report.stages[s].kv_cache_bytes +=
          static_cast<double>(report.kv_cache_capacity_tokens) * stages[s].kv_bytes_of_token;
    }
  }
  report.fullest = fullest_of(report.stages);
  if (!serving_of(scenario) && lengths.total_tokens > 0)
    report.max_batch = largest_batch(scenario, lengths, stages);
  return report;
}

}  // namespace tradewind::scenario
