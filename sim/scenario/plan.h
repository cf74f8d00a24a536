#pragma once

#include <optional>
#include <vector>

#include "sim/scenario/overlap.h"

namespace tradewind::scenario {

/// How the KV cache of a pipeline's nano-batches is counted (interface.md, plan.kv_accounting).
enum class KvAccounting {
  resident,  ///< every sequence in flight holds its KV on its stage, as silicon does
  paper,     ///< one nano-batch's KV only, as arXiv 2603.05692 counts; `batch` is the nano-batch
};

enum class MemoryCheck {
  enforce,  ///< a plan that does not fit is infeasible
  report,   ///< simulated all the same; `feasible` stays false
};

/// The layout of one pool of replicas, where prefill and decode are apart.
struct PoolPlan {
  int tp = 1, pp = 1, dp = 1;

  int devices() const { return tp * pp * dp; }
};

/// Prefill and decode on devices of their own (DistServe, arXiv 2401.09670; Splitwise, arXiv
/// 2311.18677): the cache of a sequence moves from one to the other after its first token.
struct Disaggregated {
  PoolPlan prefill, decode;
};

/// How the model and the batch are laid over devices. Field names as vLLM and Megatron use them.
struct Plan {
  int tp = 1;            ///< tensor parallel
  int pp = 1;            ///< pipeline parallel
  int dp = 1;            ///< data-parallel replicas
  int nano_batches = 0;  ///< in flight through an inference pipeline; 0 = pp
  /// Megatron's sequence parallelism: norms and residuals hold 1/tp of the tokens, all-gather
  /// before the column-parallel and reduce-scatter after the row-parallel products (arXiv
  /// 2205.05198).
  bool sequence_parallel = false;
  int ulysses = 1;  ///< sequence shards of DeepSpeed-Ulysses (arXiv 2309.14509), weights replicated
  int cp = 1;       ///< context parallel: sequence shards of ring attention (arXiv 2310.01889)
  int virtual_stages = 1;  ///< chunks of layers on each pipeline stage
  int zero_stage = 0;      ///< of ZeRO (arXiv 1910.02054): what the data-parallel group shares out
  /// Copies of what is shared out (hybrid sharding, HSDP; torchtitan's
  /// data_parallel_replicate_degree): each dp / dp_replicate neighbours share out one.
  int dp_replicate = 1;
  /// Placement of a training plan's ranks, innermost first: tp, cp, ulysses, then dp and the stages
  /// outermost, or the stages before dp (Megatron-LM's order "tp-cp-dp-pp" or "tp-cp-pp-dp").
  bool stages_inside_replicas = false;
  Overlap overlap;
  KvAccounting kv_accounting = KvAccounting::resident;
  MemoryCheck memory_check = MemoryCheck::enforce;
  std::optional<Disaggregated> pools;  ///< of serving; then tp, pp and dp are 1

  /// Ranks that work on one layer together.
  int group() const { return tp * ulysses; }
  int devices() const {
    return pools ? pools->prefill.devices() + pools->decode.devices() : group() * cp * pp * dp;
  }
  /// Ranks that hold the same weights, or share them out (ZeRO).
  int replicas() const { return dp * cp * ulysses; }
  /// Of those, the ones that share out one copy.
  int shards() const { return replicas() / dp_replicate; }
  int nano_batch_count() const { return nano_batches > 0 ? nano_batches : pp; }
};

/// Layers of each pipeline stage. Where pp does not divide the layers, embedding and head count as
/// a layer each if that makes it even; else the remainder goes to the middle stages.
std::vector<int> stage_layers(int layers, int stages);

}  // namespace tradewind::scenario
